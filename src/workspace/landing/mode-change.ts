import type { FileFingerprint } from "../fingerprint.ts";
import type { AnchoredRoot } from "./anchored-root.ts";
import type { StepContent } from "./landing-step.ts";

/**
 * How a file of the root gets another mode. A file that has other names, perhaps outside of the root, keeps its mode
 * under them: a copy takes its place.
 */
export async function chooseModeChange(
  root: AnchoredRoot,
  path: string,
  { before, mode }: { readonly before: FileFingerprint; readonly mode: number },
): Promise<StepContent> {
  const stats = await root.inspect(path);
  if (stats !== undefined && stats.nlink > 1n) return { kind: "duplicate", of: before, mode };
  return { kind: "none", after: { ...before, mode } };
}
