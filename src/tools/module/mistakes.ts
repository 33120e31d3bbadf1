import type { Node } from "ts-morph";
import { moduleMessages } from "../../errors/messages/module.ts";
import { compareNames } from "../compare-names.ts";
import { showPath } from "./show-path.ts";

/** Says what is wrong, in words that go on after the function's name. */
export type Report = (problem: string, place?: Node) => void;

/** Collects everything that is wrong with a module, so that its author hears of all of it at once. */
export class Mistakes {
  readonly #mistakes: Mistake[] = [];

  /** All of them in the order of the file, each with its line. */
  get problems(): readonly string[] {
    const sorted = this.#mistakes.toSorted((a, b) => compareNames(a.file, b.file) || a.line - b.line);
    return sorted.map(({ file, line, name, problem }) =>
      moduleMessages.at(file, line, moduleMessages.ofFunction(name, problem)),
    );
  }

  /** Whether something is wrong with that function. */
  has(name: string): boolean {
    return this.#mistakes.some((mistake) => mistake.name === name);
  }

  /** A report for one function; a problem stands at the function unless it names a more exact place. */
  of(name: string, declaration: Node): Report {
    return (problem, place = declaration) => {
      const file = showPath(place.getSourceFile().getFilePath());
      this.#mistakes.push({ name, problem, file, line: place.getStartLineNumber() });
    };
  }
}

interface Mistake {
  readonly name: string;
  readonly problem: string;
  readonly file: string;
  readonly line: number;
}
