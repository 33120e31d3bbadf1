import type { Restriction } from "../contract/restriction.ts";
import type { Tool } from "../contract/tool.ts";
import { ConfigurationError } from "../errors/configuration-error.ts";
import { toolMessages } from "../errors/messages/tools.ts";
import { showValue } from "../schema/show-value.ts";
import { RISKS } from "./check-definition.ts";
import { createNameList } from "./name-list.ts";

/** Whether restrictions let a tool be called. */
export type Permits = (tool: Pick<Tool, "name" | "risk">) => boolean;

/** The restrictions that are in force, for whoever looks at a call. */
export interface Restrictions {
  /** All of them together, as of now; an answer stays what it was when restrictions come and go. */
  now(): Permits;
  /**
   * Adds one, until what is returned is disposed of. It can only take away from what the others leave.
   * @throws ConfigurationError when it names a tool that there is not, or restricts nothing.
   */
  add(restriction: Restriction): Disposable;
}

/** What the restrictions of an engine are about. */
export interface RestrictionsOptions {
  /** Names of all tools. */
  readonly known: readonly string[];
  /** Names of the engine's own tools, which no list has to mention. */
  readonly own: ReadonlySet<string>;
}

/** Makes the restrictions of an engine: none at first. */
export function createRestrictions({ known, own }: RestrictionsOptions): Restrictions {
  const inForce = new Set<Permits>();
  let together: Permits = EVERYTHING;
  const renew = (): void => {
    const all = [...inForce];
    together = all.length === 0 ? EVERYTHING : (tool) => own.has(tool.name) || all.every((permits) => permits(tool));
  };
  return {
    now: () => together,
    add: (restriction) => {
      const permits = permitsOf(restriction, known);
      inForce.add(permits);
      renew();
      return {
        [Symbol.dispose]: () => {
          inForce.delete(permits);
          renew();
        },
      };
    },
  };
}

const EVERYTHING: Permits = () => true;

function permitsOf(restriction: Restriction, known: readonly string[]): Permits {
  const { tools, maxRisk, ...rest }: Restriction = Object(restriction);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new ConfigurationError(toolMessages.restrictionKey(unknown));
  if (tools === undefined && maxRisk === undefined) throw new ConfigurationError(toolMessages.restrictsNothing);
  if (maxRisk !== undefined && !RISKS.includes(maxRisk))
    throw new ConfigurationError(toolMessages.restrictionRisk(showValue(maxRisk)));
  const isListed =
    tools === undefined ? EVERY_NAME : createNameList({ option: "restrict.tools", listed: tools, known });
  const highest = RISKS.indexOf(maxRisk ?? "exec");
  return ({ name, risk }) => RISKS.indexOf(risk) <= highest && isListed(name);
}

const EVERY_NAME = (): boolean => true;
