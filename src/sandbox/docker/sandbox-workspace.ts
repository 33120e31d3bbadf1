import type { ManifestEntry } from "../../contract/layer.ts";

/** A workspace as a volume of the Engine, for as long as a session is open. Disposing of it removes the volume. */
export interface SandboxWorkspace extends AsyncDisposable {
  readonly volumeName: string;
  /** Puts what the last command changed into the layer's upper directory, where it is not there by itself. */
  collect(): Promise<void>;
  /** Deletions that the upper directory may be unable to hold. */
  reportedEntries(): readonly ManifestEntry[];
}
