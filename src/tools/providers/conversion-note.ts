import { providerMessages } from "../../errors/messages/providers.ts";
import { formatPath } from "../../schema/format-path.ts";

/** Something of a tool that a provider would refuse as it is. */
export interface ConversionNote {
  readonly problem: string;
  /** What is sent says less than the tool's own schema does. */
  readonly lossy: boolean;
}

/** A note about a place of the input; the top is not named. */
export function noteAt(path: readonly string[], problem: string, lossy: boolean): ConversionNote {
  return { problem: path.length === 0 ? problem : providerMessages.at(formatPath(path), problem), lossy };
}
