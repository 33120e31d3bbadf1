/**
 * Writes the JSON Schema of a TypeScript type. Only what JSON can carry has one: a `Date`, a class, a function or `any` would
 * reach the function as something else than its type says, so they are reported, with the place where they stand.
 *
 * A type that contains itself is written once, under `$defs`, and referred to.
 */
import type { Node, Symbol, Type, ts } from "ts-morph";
import type { JsonSchema } from "../../contract/json-schema.ts";
import { moduleMessages } from "../../errors/messages/module.ts";
import { describedAs } from "./doc-comment.ts";
import type { Report } from "./mistakes.ts";

/** What has a type: in words, for messages, and where it stands. */
export interface TypePlace {
  readonly words: string;
  readonly node: Node;
}

/** The schemas of the types of one tool; they share their `$defs`. */
export class TypeSchemas {
  readonly #report: Report;
  /** Types that are being written, and whether one was met again inside of itself. */
  readonly #open = new Map<ts.Type, { isRecursive: boolean }>();
  readonly #names = new Map<ts.Type, string>();
  readonly #definitions: Record<string, JsonSchema> = {};

  constructor(report: Report) {
    this.#report = report;
  }

  /** `$defs`, when a type needed them. */
  get definitions(): { readonly $defs?: Readonly<Record<string, JsonSchema>> } {
    return Object.keys(this.#definitions).length === 0 ? {} : { $defs: this.#definitions };
  }

  /** The schema of a type. An `undefined` in a union is left out: what has the type may be left out then. */
  write(type: Type, place: TypePlace): SchemaObject {
    if (!type.isUnion() && !type.isObject()) return this.#writeOne(type, place);
    const name = this.#names.get(type.compilerType);
    if (name !== undefined && Object.hasOwn(this.#definitions, name)) return { $ref: `#/$defs/${name}` };
    const open = this.#open.get(type.compilerType);
    if (open !== undefined) {
      open.isRecursive = true;
      return { $ref: `#/$defs/${this.#nameOf(type)}` };
    }
    if (this.#open.size === MAX_DEPTH) return this.#refuse(place, moduleMessages.tooDeep(place.node.getText()));
    return this.#writeNested(type, place);
  }

  #writeNested(type: Type, place: TypePlace): SchemaObject {
    const state = { isRecursive: false };
    this.#open.set(type.compilerType, state);
    const schema = type.isUnion() ? this.#writeUnion(type, place) : this.#writeOne(type, place);
    this.#open.delete(type.compilerType);
    if (!state.isRecursive) return schema;
    const name = this.#nameOf(type);
    this.#definitions[name] = schema;
    return { $ref: `#/$defs/${name}` };
  }

  #writeUnion(type: Type, place: TypePlace): SchemaObject {
    const members = type.getUnionTypes().filter((member) => !member.isUndefined());
    const booleans = members.filter((member) => member.isBooleanLiteral());
    const literals = members.filter((member) => isTextOrNumber(member.getLiteralValue()));
    const others = members.filter((member) => !booleans.includes(member) && !literals.includes(member));
    const nulls = others.filter((member) => member.isNull());
    const schemas = [
      ...(booleans.length === 2 ? [{ type: "boolean" }] : booleans.map((member) => this.#writeOne(member, place))),
      ...(literals.length === 0 ? [] : [enumOf(literals.map((member) => member.getLiteralValue()))]),
      ...others.filter((member) => !nulls.includes(member)).map((member) => this.write(member, place)),
      ...nulls.map(() => ({ type: "null" })),
    ];
    const [first, ...rest] = schemas;
    return rest.length === 0 && first !== undefined ? first : { anyOf: schemas };
  }

  #writeOne(type: Type, place: TypePlace): SchemaObject {
    if (type.isString()) return { type: "string" };
    if (type.isNumber()) return { type: "number" };
    if (type.isNull()) return { type: "null" };
    if (type.isUnknown()) return {};
    if (type.isBooleanLiteral()) return { type: "boolean", enum: [type.getText() === "true"] };
    const literal = type.getLiteralValue();
    if (isTextOrNumber(literal)) return enumOf([literal]);
    if (type.isArray() || type.isReadonlyArray()) {
      const items = { ...place, words: moduleMessages.items(place.words) };
      return { type: "array", items: this.#writeValue(type.getArrayElementTypeOrThrow(), items) };
    }
    return isPlainObject(type) ? this.#writeObject(type, place) : this.#unsupported(type, place);
  }

  #writeObject(type: Type, place: TypePlace): SchemaObject {
    const properties = type.getProperties();
    const values = type.getStringIndexType();
    if (properties.length === 0 && values === undefined) return this.#unsupported(type, place);
    const typed = properties.map((property) => ({ property, type: property.getTypeAtLocation(place.node) }));
    const schemas = typed.map((each) => [each.property.getName(), this.#writeProperty(each, place)] as const);
    const required = typed.filter((each) => !each.property.isOptional() && !allowsUndefined(each.type));
    return {
      type: "object",
      ...(schemas.length === 0 ? {} : { properties: Object.fromEntries(schemas) }),
      ...(required.length === 0 ? {} : { required: required.map(({ property }) => property.getName()) }),
      ...(values === undefined ? {} : { additionalProperties: this.#writeIndexed(values, place) }),
    };
  }

  #writeProperty({ property, type }: TypedProperty, place: TypePlace): SchemaObject {
    const inner = { ...place, words: moduleMessages.property(property.getName(), place.words) };
    return { ...this.write(type, inner), ...describedAs(property) };
  }

  #writeIndexed(type: Type, place: TypePlace): SchemaObject {
    return this.#writeValue(type, { ...place, words: moduleMessages.values(place.words) });
  }

  /** A value that cannot be left out. */
  #writeValue(type: Type, place: TypePlace): SchemaObject {
    return allowsUndefined(type) ? this.#unsupported(type, place) : this.write(type, place);
  }

  #unsupported(type: Type, place: TypePlace): SchemaObject {
    return this.#refuse(place, moduleMessages.unsupported(place.words, type.getText(place.node)));
  }

  #refuse({ node }: TypePlace, problem: string): SchemaObject {
    this.#report(problem, node);
    return {};
  }

  #nameOf(type: Type): string {
    const known = this.#names.get(type.compilerType);
    if (known !== undefined) return known;
    const declared = (type.getAliasSymbol() ?? type.getSymbol())?.getName().replaceAll(/\W/g, "_") ?? "type";
    const taken = new Set(this.#names.values());
    const name = taken.has(declared) ? `${declared}_${taken.size}` : declared;
    this.#names.set(type.compilerType, name);
    return name;
  }
}

interface TypedProperty {
  readonly property: Symbol;
  readonly type: Type;
}

type SchemaObject = Readonly<Record<string, unknown>>;

/** Deeper than anybody writes down, and less than a stack takes. */
const MAX_DEPTH = 64;

/** Whether leaving a value out is a value of its type. */
export function allowsUndefined(type: Type): boolean {
  return type.isUndefined() || (type.isUnion() && type.getUnionTypes().some((member) => member.isUndefined()));
}

function isTextOrNumber(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function enumOf(values: readonly unknown[]): SchemaObject {
  const types = [...new Set(values.map((value) => typeof value))];
  return { type: types.length === 1 ? types[0] : types, enum: values };
}

/** An interface or an object type of the author's own: no function, no class, nothing that JavaScript brings along. */
function isPlainObject(type: Type): boolean {
  if (!type.isObject() && !type.isIntersection()) return false;
  if (type.isIntersection()) return type.getIntersectionTypes().every((part) => isPlainObject(part));
  if (type.isTuple() || type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0) return false;
  if (type.getNumberIndexType() !== undefined && type.getStringIndexType() === undefined) return false;
  const declarations = type.getSymbol()?.getDeclarations() ?? [];
  return !declarations.some((each) => each.getKindName() === "ClassDeclaration" || isOfLibrary(each));
}

/** `Date`, `Map`, `Promise` and the like. The mapped types of the library are looked at through what they make. */
function isOfLibrary(declaration: Node): boolean {
  const { compilerNode: file } = declaration.getSourceFile();
  const isDeclared =
    declaration.getKindName() === "InterfaceDeclaration" || declaration.getKindName() === "VariableDeclaration";
  return isDeclared && declaration.getProject().getProgram().compilerObject.isSourceFileDefaultLibrary(file);
}
