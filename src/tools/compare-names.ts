/** Orders names by code units, the same on every machine and in every locale. */
export function compareNames(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
