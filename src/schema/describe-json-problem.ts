import { schemaMessages } from "../errors/messages/schema.ts";
import type { JsonProblem } from "./copy-json.ts";
import { formatPath } from "./format-path.ts";

/** Says why a value is no JSON that can be taken; `root` names the whole value. */
export function describeJsonProblem({ path, problem }: JsonProblem, root: string): string {
  const place = formatPath(path, root);
  switch (problem.kind) {
    case "not-json":
      return schemaMessages.notJson(place, problem.found);
    case "forbidden-key":
      return schemaMessages.forbiddenKey(place);
    case "unreadable":
      return schemaMessages.unreadable(place);
    case "too-deep":
      // The path is as long as the limit; the whole is named instead.
      return schemaMessages.tooDeep(root, problem.limit);
    case "too-long":
      return schemaMessages.tooLong(root, problem.limit);
    case "too-many":
      return schemaMessages.tooMany(root, problem.limit);
  }
}
