/** Whether a path, as a model writes it, means the workspace as a whole. */
export function isWholeWorkspace(path: string): boolean {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || (path.startsWith("/") && parts.length === 1 && parts[0] === "workspace");
}
