import type { HiddenPaths } from "../../union/hidden-paths.ts";
import type { LayerStore } from "../layer-store.ts";
import type { LandingObserver } from "./landing-step.ts";
import type { LandingStore } from "./landing-store.ts";

/** What every part of landing needs. */
export interface LandingContext {
  /** The root's real path. */
  readonly root: string;
  readonly layersDirectory: string;
  readonly layers: LayerStore;
  readonly landings: LandingStore;
  /** What no tool sees, and landing leaves alone. */
  readonly hidden: HiddenPaths;
  readonly observe: LandingObserver;
  /** The directory of what a landing replaced. */
  backupsOf(landingId: string): string;
}
