/**
 * Whether a path that the shell would make of `expanded` could fit the glob of a rule. Where it is not certain, it could. To the
 * shell, a name with a dot in front fits only what has the dot itself.
 */
export function globsOverlap(rule: string, expanded: string): boolean {
  return segmentsOverlap(rule.split("/"), expanded.split("/"));
}

function segmentsOverlap(left: readonly string[], right: readonly string[]): boolean {
  const [first, ...restLeft] = left;
  const [second, ...restRight] = right;
  if (first === "**")
    return segmentsOverlap(restLeft, right) || (second !== undefined && segmentsOverlap(left, restRight));
  if (second === "**")
    return segmentsOverlap(left, restRight) || (first !== undefined && segmentsOverlap(restLeft, right));
  if (first === undefined || second === undefined) return first === second;
  const isHidden = first.startsWith(".") && /^[*?[]/.test(second);
  return !isHidden && namesOverlap(tokens(first), tokens(second)) && segmentsOverlap(restLeft, restRight);
}

type Token = { readonly kind: "any" } | { readonly kind: "one" } | { readonly kind: "text"; readonly text: string };

/** A class in brackets counts as any one character. */
function tokens(segment: string): readonly Token[] {
  return (segment.match(/\\.|\[[^\]]+\]|./gsu) ?? []).map((piece): Token => {
    if (piece === "*") return { kind: "any" };
    if (piece === "?" || (piece.length > 1 && piece.startsWith("["))) return { kind: "one" };
    return { kind: "text", text: piece.replace(/^\\/, "") };
  });
}

function namesOverlap(left: readonly Token[], right: readonly Token[]): boolean {
  const [first, ...restLeft] = left;
  const [second, ...restRight] = right;
  if (first?.kind === "any")
    return namesOverlap(restLeft, right) || (second !== undefined && namesOverlap(left, restRight));
  if (second?.kind === "any")
    return namesOverlap(left, restRight) || (first !== undefined && namesOverlap(restLeft, right));
  if (first === undefined || second === undefined) return first === second;
  const isSame = first.kind === "one" || second.kind === "one" || first.text === second.text;
  return isSame && namesOverlap(restLeft, restRight);
}
