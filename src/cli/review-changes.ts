import type { Change } from "../contract/change.ts";
import type { Engine } from "../contract/engine.ts";
import type { ChangeSelection, ReviewedSelection } from "../contract/landing.ts";
import { MOVED_WHILE_ASKING } from "../errors/messages/cli.ts";
import type { CommandContext } from "./command-context.ts";
import { notify } from "./terminal/notify.ts";
import type { ChoiceQuestion } from "./terminal/prompts.ts";
import { countChanges, renderChanges } from "./terminal/render-changes.ts";
import { renderDiff } from "./terminal/render-diff.ts";

/*
 * Landing applies what is pending at that moment. Another process may add to it while a person reads the diff, so the diff is
 * taken again after the answer, and when it is not what was shown the person is asked again.
 */

/** An answer, and the selection that it holds for. */
export interface ReviewedAnswer {
  readonly answer: ReviewAnswer;
  /** Names the moment that was shown, so that nothing kept after it is landed or dropped. */
  readonly selection: ReviewedSelection;
}

/** What to do with pending changes. `keep` leaves them as they are. */
export type ReviewAnswer = "land" | "keep" | "discard";

/** Which changes to show, and what may be done with them. */
export interface Review {
  readonly engine: Engine;
  readonly selection: ChangeSelection;
  readonly question: Pick<ChoiceQuestion<ReviewAnswer>, "message" | "choices">;
  readonly signal?: AbortSignal;
}

/** Shows the selected changes, list and diff, and asks what to do. Leaving the prompt keeps them. */
export async function reviewChanges(context: CommandContext, review: Review): Promise<ReviewedAnswer> {
  let shown = await takeSnapshot(review);
  show(context, shown);
  for (;;) {
    const answer = await context.prompts.choose({
      ...review.question,
      initial: "keep",
      ...(review.signal === undefined ? {} : { signal: review.signal }),
    });
    if (answer === undefined || answer === "keep") return { answer: "keep", selection: review.selection };
    const now = await takeSnapshot(review);
    if (isSame(now, shown)) return { answer, selection: { ...review.selection, revision: now.revision } };
    notify(context.err, MOVED_WHILE_ASKING);
    shown = now;
    show(context, shown);
  }
}

interface Snapshot {
  readonly revision: string;
  readonly changes: readonly Change[];
  readonly diff: string;
}

async function takeSnapshot({ engine, selection }: Review): Promise<Snapshot> {
  // First, so that whatever is kept while the rest is read makes it outdated.
  const revision = await engine.workspace.revision();
  const changes = await engine.workspace.changes(selection);
  return { revision, changes, diff: await engine.workspace.diff(selection) };
}

function show({ err }: CommandContext, { changes, diff }: Snapshot): void {
  err.write(renderDiff(diff, err));
  err.write(`${countChanges(changes)}:\n${renderChanges(changes, err)}`);
}

/** The list says what a diff cannot: empty directories and binary files. */
function isSame(one: Snapshot, other: Snapshot): boolean {
  return one.diff === other.diff && JSON.stringify(one.changes) === JSON.stringify(other.changes);
}
