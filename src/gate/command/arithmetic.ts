/*
 * bash evaluates the value of a variable in arithmetic as an expression again, and a subscript in it runs substitutions:
 * after `x='a[$(id)]'`, `$((x))` runs `id`. So arithmetic is understood when it is made of numbers, and of variables that this
 * very line gives no other values than numbers. A variable that the shell sets itself, such as `$_`, may hold any text.
 */
import { isPlainVariable } from "./variables.ts";

/** The variables that an arithmetic expression reads; nothing when it holds more than numbers, names and operators. */
export function readArithmetic(text: string): readonly string[] | undefined {
  if (!ARITHMETIC.test(text)) return undefined;
  return text.match(NAMES) ?? [];
}

const ARITHMETIC = /^(?:[\s\d+\-*/%<>=!&|^~?:(),]|\$?[A-Za-z_]\w*|\$\{[A-Za-z_]\w*\}|\$[#?])*$/;

const NAMES = /[A-Za-z_]\w*/g;

/** Whether a text is a number to a shell. */
export function isNumber(text: string): boolean {
  return /^[+-]?\d+$/.test(text);
}

/** Whether a variable that the line does not set holds nothing but a number, or nothing. */
export function isNumberToBegin(name: string): boolean {
  return isPlainVariable(name) || NUMBERS_OF_THE_SHELL.test(name);
}

const NUMBERS_OF_THE_SHELL = /^(?:RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|COLUMNS|LINES|UID|EUID|PPID|LINENO)$/;
