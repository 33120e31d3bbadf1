import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";

import { parseOwner } from "../../state/owner.ts";
import { ORDERLY_END } from "./lifeline.ts";
import { removeAllOf } from "./remove-orphans.ts";

/*
 * The program behind `createLifeline`: waits until its stdin ends, which is when its owner is gone. It looks more than
 * once, because a request that the owner sent last may still be on its way through the Engine.
 */

const PAUSES_MS = [0, 1_000, 5_000];

const [, , ownerText = "", dockerHost = ""] = process.argv;
const owner = parseOwner(ownerText);
const lastWord = await text(process.stdin);
if (owner !== undefined && lastWord !== ORDERLY_END) {
  for (const pauseMs of PAUSES_MS) {
    await delay(pauseMs);
    // There is nobody left to tell; the next look, or the next start, tries again.
    await removeAllOf(owner, dockerHost === "" ? {} : { dockerHost }).catch(() => undefined);
  }
}
