import { distance } from "fastest-levenshtein";

/** Names near to one that is none, the nearest first, at most three. */
export function nearestNames(name: string, names: readonly string[]): readonly string[] {
  // The name comes from the model; comparing costs its length.
  const asked = name.slice(0, MAX_COMPARED_CHARACTERS).toLowerCase();
  return names
    .map((candidate) => ({ candidate, steps: stepsBetween(asked, candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.ceil(Math.max(candidate.length, asked.length) / 2))
    .toSorted((left, right) => left.steps - right.steps)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

const MAX_SUGGESTIONS = 3;
const MAX_COMPARED_CHARACTERS = 64;

/** A name inside of the other one, such as "read" and "read_file", is as near as one typing mistake. */
function stepsBetween(asked: string, candidate: string): number {
  const isPart = asked.length >= 3 && (candidate.includes(asked) || asked.includes(candidate));
  return isPart ? Math.min(1, distance(asked, candidate)) : distance(asked, candidate);
}
