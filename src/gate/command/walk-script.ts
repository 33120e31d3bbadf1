import type { VariableAssignment, Word } from "./analysis.ts";
import { wordText } from "./analysis.ts";
import { originOf } from "./analysis-draft.ts";
import type { AnalysisDraft, Place } from "./analysis-draft.ts";
import { arithmeticText, readWord } from "./read-word.ts";
import type { WordVisitor } from "./read-word.ts";
import type {
  ArithmeticNode,
  AssignmentNode,
  CommandNode,
  CommandOf,
  ConditionNode,
  RedirectionNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
} from "./shell-syntax.ts";
import { isPlainVariable } from "./variables.ts";

/** A simple command with its words resolved. */
export interface ResolvedCommand {
  readonly words: readonly Word[];
  readonly assignments: readonly VariableAssignment[];
  /** What it reads, when that is written in the line; nothing when it is not. */
  readonly input?: Word;
}

/** What a walk hands on. */
export interface WalkOptions {
  readonly draft: AnalysisDraft;
  readonly onCommand: (command: ResolvedCommand, place: Place) => void;
}

/** Visits everything in a script that runs, opens or sets something. */
export function walkScript(script: ScriptNode, place: Place, options: WalkOptions): void {
  new Walk(place, options).statements(script.statements);
}

/** One level of a script; a substitution in it is a level of its own. */
class Walk {
  readonly #options: WalkOptions;
  #place: Place;
  readonly #visitor: WordVisitor = {
    onScript: (script, construct) => {
      walkScript(script, this.#options.draft.enter(this.#place, construct), this.#options);
    },
    onArithmetic: (text) => this.#options.draft.addArithmetic(text, this.#place),
    onOpaque: (reason) => this.#options.draft.addOpaque(reason, this.#place),
  };

  constructor(place: Place, options: WalkOptions) {
    this.#place = place;
    this.#options = options;
  }

  statements(statements: readonly StatementNode[]): void {
    for (const { pipelines, deferredError } of statements) {
      if (deferredError !== undefined) this.#visitor.onOpaque("the shell cannot read on from here");
      for (const { commands } of pipelines) for (const command of commands) this.#command(command);
    }
  }

  #command(command: CommandNode): void {
    const line = "line" in command ? command.line : undefined;
    // Lines of a nested script count from its own beginning.
    if (line !== undefined && line > 0 && this.#place.via.length === 0) this.#place = { ...this.#place, line };
    if (command.type === "SimpleCommand") this.#simple(command);
    else this.#compound(command);
  }

  #simple({ assignments, name, args, redirections }: SimpleCommandNode): void {
    const given = assignments.flatMap((assignment) => this.#assignment(assignment));
    const words = name === null ? [] : [name, ...args].flatMap((word) => readWord(word, this.#visitor));
    const input = this.#redirections(redirections);
    if (name === null) for (const assignment of given) this.#set(assignment);
    else this.#options.onCommand({ words, assignments: given, ...(input === undefined ? {} : { input }) }, this.#place);
  }

  #assignment({ name, value, array, append }: AssignmentNode): readonly VariableAssignment[] {
    const [plain = name, ...subscript] = name.split("[");
    if (subscript.length > 0) this.#visitor.onArithmetic(subscript.join("[").replace(/\]$/, ""));
    for (const element of array ?? []) {
      const words = readWord(element, this.#visitor);
      if (words.some((word) => wordText(word).startsWith("["))) this.#visitor.onOpaque("a subscript is evaluated");
    }
    if (array !== null || append || subscript.length > 0) {
      if (value !== null) readWord(value, this.#visitor);
      return [{ name: plain }];
    }
    const words = value === null ? [] : readWord(value, this.#visitor);
    if (value?.parts.length === 1 && value.parts[0]?.type === "ArithmeticExpansion")
      return [{ name: plain, isNumber: true }];
    const [word] = words;
    if (word === undefined) return [{ name: plain, value: "" }];
    return words.length === 1 && word.kind === "static" ? [{ name: plain, value: word.text }] : [{ name: plain }];
  }

  #set(assignment: VariableAssignment): void {
    const { draft } = this.#options;
    draft.setVariable(assignment);
    draft.add({ kind: "assignment", assignment, isExported: false, ...originOf(this.#place) });
  }

  #compound(command: Exclude<CommandNode, SimpleCommandNode>): void {
    if (command.type === "FunctionDef") {
      this.#options.draft.defineFunction(command.name);
      this.#redirections(command.redirections);
      this.#compound(command.body);
      return;
    }
    this.#redirections(command.redirections);
    switch (command.type) {
      case "If":
        for (const { condition, body } of command.clauses) this.#blocks(condition, body);
        this.statements(command.elseBody ?? []);
        break;
      case "For":
        this.#for(command);
        break;
      case "CStyleFor":
        this.#arithmetic(command.init, command.condition, command.update);
        this.statements(command.body);
        break;
      case "While":
      case "Until":
        this.#blocks(command.condition, command.body);
        break;
      case "Case":
        this.#words([command.word]);
        for (const { patterns, body } of command.items) {
          this.#words(patterns);
          this.statements(body);
        }
        break;
      case "Subshell":
      case "Group":
        this.statements(command.body);
        break;
      case "ArithmeticCommand":
        this.#arithmetic(command.expression);
        break;
      case "ConditionalCommand":
        this.#condition(command.expression);
        break;
      default:
        // A construct that a later version of the parser knows.
        this.#visitor.onOpaque("a construct is not understood");
    }
  }

  #blocks(...blocks: readonly (readonly StatementNode[])[]): void {
    for (const block of blocks) this.statements(block);
  }

  #words(words: readonly WordNode[]): readonly Word[] {
    return words.flatMap((word) => readWord(word, this.#visitor));
  }

  #for({ variable, words, body }: CommandOf<"For">): void {
    // Without words it takes those of the script, which has none.
    for (const word of this.#words(words ?? [])) {
      const assignment = word.kind === "static" ? { name: variable, value: word.text } : { name: variable };
      if (isPlainVariable(variable)) this.#options.draft.setVariable(assignment);
      else this.#set(assignment);
    }
    this.statements(body);
  }

  #arithmetic(...expressions: readonly (ArithmeticNode | null)[]): void {
    for (const expression of expressions)
      if (expression !== null) this.#visitor.onArithmetic(arithmeticText(expression));
  }

  #condition(condition: ConditionNode): void {
    switch (condition.type) {
      case "CondNot":
        this.#condition(condition.operand);
        break;
      case "CondAnd":
      case "CondOr":
        this.#condition(condition.left);
        this.#condition(condition.right);
        break;
      case "CondGroup":
        this.#condition(condition.expression);
        break;
      case "CondWord":
        this.#words([condition.word]);
        break;
      case "CondUnary": {
        const words = this.#words([condition.operand]);
        // These look a variable up, and evaluate a subscript in its name.
        if (/^-[vR]$/.test(condition.operator)) this.#names(words);
        break;
      }
      case "CondBinary": {
        const words = this.#words([condition.left, condition.right]);
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(condition.operator))
          for (const word of words) this.#visitor.onArithmetic(wordText(word));
        break;
      }
    }
  }

  #names(words: readonly Word[]): void {
    if (words.some((word) => word.kind === "open" || !/^\w+$/.test(word.text)))
      this.#visitor.onOpaque('"-v" evaluates a subscript');
  }

  /** Adds the files that are opened. @returns what is read, when the line says so */
  #redirections(redirections: readonly RedirectionNode[]): Word | undefined {
    let input: Word | undefined;
    for (const redirection of redirections) {
      if (redirection.fdVariable !== undefined) this.#set({ name: redirection.fdVariable });
      input = this.#redirection(redirection) ?? input;
    }
    return input;
  }

  #redirection({ operator, target, fd }: RedirectionNode): Word | undefined {
    const isInput = fd === null || fd === 0;
    if (target.type === "HereDoc") {
      const words = readWord(target.content, this.#visitor);
      return isInput ? words[0] : undefined;
    }
    const words = readWord(target, this.#visitor);
    if (operator === "<<<") return isInput ? words[0] : undefined;
    for (const word of words) {
      // A duplicate of a descriptor, or its end.
      if (operator.endsWith("&") && word.kind === "static" && /^(?:\d+-?|-)$/.test(word.text)) continue;
      const access = operator === "<" || operator === "<&" ? "read" : "write";
      this.#options.draft.add({ kind: "redirection", access, operator, target: word, ...originOf(this.#place) });
    }
    return undefined;
  }
}
