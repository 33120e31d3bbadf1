import type { Node, SourceFile } from "ts-morph";
import { moduleMessages } from "../../errors/messages/module.ts";
import { docCommentOf } from "./doc-comment.ts";
import type { Compiler } from "./load-compiler.ts";
import type { Mistakes, Report } from "./mistakes.ts";
import { readFunction } from "./read-function.ts";
import type { FunctionNode, ReadFunction } from "./read-function.ts";

/** A function that a module exports. */
export interface ExportedFunction extends ReadFunction {
  /** The name that it is exported by. */
  readonly name: string;
  readonly report: Report;
}

/** Reads the functions that a module exports, but for those marked `@internal`. Other exports are none of a tool's. */
export function readModule(path: string, compiler: Compiler, mistakes: Mistakes): readonly ExportedFunction[] {
  const exported = [...openSource(path, compiler).getExportedDeclarations()];
  return exported.flatMap(([name, declarations]) => {
    const declaration = declarations.find((each) => isCallable(each, compiler));
    if (declaration === undefined) return [];
    const doc = docCommentOf(declaration.getSymbolOrThrow());
    if (doc.tags.some((tag) => tag.name === "internal")) return [];
    const report = mistakes.of(name, declaration);
    const node = functionOf(declaration, compiler);
    if (name !== "default" && node !== undefined)
      return [{ name, report, ...readFunction(node, doc, { compiler, report }) }];
    report(node === undefined ? moduleMessages.notWrittenHere : moduleMessages.defaultExport);
    return [];
  });
}

/** The module's source with all that it imports, seen as Node sees it. */
function openSource(path: string, { Project, ts }: Compiler): SourceFile {
  const project = new Project({
    compilerOptions: {
      strict: true,
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.NodeNext,
      allowImportingTsExtensions: true,
      // Nothing of a browser is JSON, and its types take longer to read than everything else.
      lib: ["lib.esnext.d.ts"],
      types: [],
    },
  });
  return project.addSourceFileAtPath(path);
}

function isCallable(declaration: Node, { Node: kinds }: Compiler): boolean {
  const isValue =
    kinds.isFunctionDeclaration(declaration) ||
    kinds.isVariableDeclaration(declaration) ||
    kinds.isExpression(declaration);
  return isValue && declaration.getType().getCallSignatures().length > 0;
}

function functionOf(declaration: Node, { Node: kinds }: Compiler): FunctionNode | undefined {
  if (kinds.isFunctionDeclaration(declaration)) return declaration;
  const written = kinds.isVariableDeclaration(declaration) ? declaration.getInitializer() : declaration;
  return kinds.isArrowFunction(written) || kinds.isFunctionExpression(written) ? written : undefined;
}
