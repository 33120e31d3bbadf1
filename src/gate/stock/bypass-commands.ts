/*
 * Commands that got, or would get, around rules on command lines: `policy test` holds a policy to them. Each class is a way
 * that was used against the gate of some agent, from advisories (CVE-2025-66032, CVE-2025-64755, CVE-2026-22708,
 * CVE-2026-24053, CVE-2026-24887, CVE-2026-25723), change logs and issues.
 */
import type { BypassClass } from "./bypass-class.ts";
import { BYPASS_OF_ALLOWANCES } from "./bypass-of-allowances.ts";
import { BYPASS_OF_DENIALS } from "./bypass-of-denials.ts";

/** Everything that the stock policy is held to. */
export const BYPASS_CLASSES: readonly BypassClass[] = [...BYPASS_OF_DENIALS, ...BYPASS_OF_ALLOWANCES];
