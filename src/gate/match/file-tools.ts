/*
 * The built-in tools that take paths, and which of their arguments these are. The same rules hold for what a command of
 * the shell reads and writes by name: `deny write_file(.env*)` would be worth little if `echo > .env` went around it.
 */

/** A file that a call names. */
export interface FileOfCall {
  readonly access: "read" | "write";
  readonly path: string;
}

interface FileTool {
  readonly access: FileOfCall["access"];
  readonly paths: readonly string[];
}

const FILE_TOOLS: Readonly<Record<string, FileTool>> = {
  read_file: { access: "read", paths: ["path"] },
  read_image: { access: "read", paths: ["path"] },
  list_files: { access: "read", paths: ["path"] },
  glob: { access: "read", paths: ["path"] },
  grep: { access: "read", paths: ["path"] },
  write_file: { access: "write", paths: ["path"] },
  edit_file: { access: "write", paths: ["path"] },
  multi_edit: { access: "write", paths: ["path"] },
  delete_file: { access: "write", paths: ["path"] },
  make_directory: { access: "write", paths: ["path"] },
  move_file: { access: "write", paths: ["from", "to"] },
  apply_patch: { access: "write", paths: [] },
};

/** The tools whose paths rules may name, as a policy sees tools. */
export const FILE_TOOL_NAMES = Object.entries(FILE_TOOLS).map(([name, { access }]) => ({ name, risk: access }));

/** The files that a call of a built-in tool names. */
export function filesOfCall(tool: string, input: unknown): readonly FileOfCall[] {
  const known = Object.hasOwn(FILE_TOOLS, tool) ? FILE_TOOLS[tool] : undefined;
  if (known === undefined || typeof input !== "object" || input === null) return [];
  const entries = Object.entries(input);
  const texts = (names: readonly string[]) =>
    entries.flatMap(([name, value]) => (names.includes(name) && typeof value === "string" ? [value] : []));
  const paths = tool === "apply_patch" ? texts(["patch"]).flatMap(patchedPaths) : texts(known.paths);
  return paths.map((path) => ({ access: known.access, path }));
}

/** Every path in the headers of a patch, in either form, with and without the letter that git puts in front. */
function patchedPaths(patch: string): readonly string[] {
  return patch.split("\n").flatMap((line) => {
    const header = HEADER.exec(line)
      ?.groups?.["path"]?.replace(/\t.*$|\r$/, "")
      .replace(/^"|"$/g, "");
    if (header === undefined || header === "/dev/null") return [];
    return /^[a-z]\//.test(header) ? [header, header.slice(2)] : [header];
  });
}

const HEADER =
  /^(?:\*\*\* (?:Add|Update|Delete) File: |\*\*\* Move to: |--- |\+\+\+ |rename (?:from|to) |copy (?:from|to) )(?<path>.*)$/;
