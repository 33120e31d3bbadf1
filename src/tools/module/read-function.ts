import type { ArrowFunction, FunctionDeclaration, FunctionExpression } from "ts-morph";
import type { JsonSchema } from "../../contract/json-schema.ts";
import type { Risk } from "../../contract/risk.ts";
import { moduleMessages } from "../../errors/messages/module.ts";
import { fitsRisk } from "./context-type.ts";
import type { DocComment } from "./doc-comment.ts";
import { docOptions } from "./doc-options.ts";
import type { DocOptions } from "./doc-options.ts";
import type { Compiler } from "./load-compiler.ts";
import type { Report } from "./mistakes.ts";
import { readOutput } from "./read-output.ts";
import { readParameters } from "./read-parameters.ts";
import type { FunctionParameter, ReadParameters } from "./read-parameters.ts";

/** A function, however it is written. */
export type FunctionNode = FunctionDeclaration | FunctionExpression | ArrowFunction;

/** What a function's types and doc comment say about the tool that it is. */
export interface ReadFunction {
  readonly description: string;
  readonly options: DocOptions & { readonly risk: Risk };
  readonly parameters: ReadParameters;
  readonly output?: JsonSchema;
}

/** Reads one function; what cannot be read is reported. */
export function readFunction(
  node: FunctionNode,
  doc: DocComment,
  { compiler, report }: { readonly compiler: Compiler; readonly report: Report },
): ReadFunction {
  for (const problem of problemsOf(node, compiler)) report(problem);
  if (doc.summary === "") report(moduleMessages.noDocComment);
  const parameters = readParameters(node.getParameters(), compiler, report);
  reportStrayTexts(doc, parameters.list, report);
  // A function that does not say its risk gets the most careful treatment, like every tool.
  const options = { risk: "exec" as const, ...docOptions(doc.tags, report) };
  reportContexts(parameters.list, options.risk, report);
  return { description: doc.summary, options, parameters, ...readOutput(node) };
}

function problemsOf(node: FunctionNode, { Node: kinds }: Compiler): readonly string[] {
  const isOverloaded = kinds.isFunctionDeclaration(node) && node.getOverloads().some((each) => each !== node);
  return [
    ...(isOverloaded ? [moduleMessages.overloaded] : []),
    ...(node.getTypeParameters().length > 0 ? [moduleMessages.generic] : []),
    ...(!kinds.isArrowFunction(node) && node.isGenerator() ? [moduleMessages.generator] : []),
  ];
}

/** A text for a parameter that is not there is one that the model never sees. */
function reportStrayTexts({ tags }: DocComment, parameters: readonly FunctionParameter[], report: Report): void {
  for (const { text } of tags.filter(({ name }) => name === "param")) {
    const [described = ""] = text.split(/\s/, 1);
    if (!parameters.some(({ name }) => name === described)) report(moduleMessages.strayParameterText(described));
  }
}

function reportContexts(parameters: readonly FunctionParameter[], risk: Risk, report: Report): void {
  for (const parameter of parameters) {
    if (parameter.from === "context" && !fitsRisk(parameter.context, risk))
      report(moduleMessages.wrongContext(parameter.context, risk));
  }
}
