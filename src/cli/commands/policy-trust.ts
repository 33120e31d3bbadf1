import type { Command } from "commander";
import type { PolicyReview, RootPolicy } from "../../contract/policy-review.ts";
import { ConfigurationError } from "../../errors/configuration-error.ts";
import { trustMessages } from "../../errors/messages/cli.ts";
import type { CommandContext } from "../command-context.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { escapeText } from "../terminal/escape-text.ts";

interface TrustFlags {
  readonly root: string;
  readonly yes?: true;
  readonly revoke?: true;
}

/** `cofferdam policy trust`: lets the policy file in the root loosen the policy, as it is now. */
export function policyTrustCommand(context: CommandContext): Command {
  const command = newCommand(context, "trust", {
    summary: "let the policy file in the root loosen the policy, as it is now",
    description:
      "Shows cofferdam.json in the root and, when you say so, lets it loosen the policy as your own file can: its allow rules, mode and sandbox settings count. Any change to the file ends that, and it can then only tighten again.",
    example: "cofferdam policy trust --root ~/project",
  });
  return withRoot(command)
    .option("--yes", "do not ask: you have read the file")
    .option("--revoke", "trust it no longer")
    .action(async (flags: TrustFlags) => await trust(context, flags));
}

async function trust(context: CommandContext, { root, yes, revoke }: TrustFlags): Promise<void> {
  await using engine = await context.openEngine({ root });
  const { out } = context;
  const { policy } = engine;
  if (revoke === true) {
    await policy.distrust();
    out.write(`${trustMessages.revoked}\n`);
    return;
  }
  const file = await policy.rootPolicy();
  if (file === undefined) throw new ConfigurationError(trustMessages.noFile);
  if (file.isTrusted) out.write(`${trustMessages.already}\n`);
  else if (yes === true || (await confirm(context, file))) await acceptAsShown(context, policy, file);
  else out.write(`${trustMessages.declined}\n`);
}

async function confirm({ err, prompts, isInteractive }: CommandContext, { text }: RootPolicy): Promise<boolean> {
  if (!isInteractive) throw new ConfigurationError(trustMessages.cannotAsk);
  err.write(
    text
      .trimEnd()
      .split("\n")
      .map((line) => `  | ${escapeText(line, { countsPadding: true })}\n`)
      .join(""),
  );
  const answer = await prompts.choose({
    message: "Trust this file, exactly as shown?",
    initial: "no",
    choices: [
      { value: "no", label: "No", hint: "it can still only tighten" },
      { value: "yes", label: "Yes", hint: "until it changes" },
    ],
  });
  return answer === "yes";
}

async function acceptAsShown({ out }: CommandContext, policy: PolicyReview, { digest }: RootPolicy): Promise<void> {
  await policy.trust(digest);
  out.write(`${trustMessages.trusted(digest)}\n`);
}
