import { CofferdamError } from "./cofferdam-error.ts";

/** An option, a policy, a path or a command line is wrong; nothing has been done. */
export class ConfigurationError extends CofferdamError {
  override readonly code = "configuration";
}
