import type { Command } from "commander";
import type { BackendReport } from "../../contract/engine.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-code.ts";
import { newCommand, withRoot } from "../new-command.ts";
import { renderBackends } from "../terminal/render-backends.ts";
import { writeJson } from "../terminal/write-json.ts";

interface DoctorFlags {
  readonly root: string;
  readonly json?: true;
}

/** `cofferdam doctor`: what works on this machine, found out by trying. */
export function doctorCommand(context: CommandContext): Command {
  const command = newCommand(context, "doctor", {
    summary: "try every sandbox and say what is missing",
    description:
      "Tries every sandbox on this machine and says what works, why not, and what to do. The exit code is 0 when shell commands can run somewhere.",
    example: "cofferdam doctor",
  });
  return withRoot(command)
    .option("--json", "print the findings as one JSON array")
    .action(async (flags: DoctorFlags) => await examine(context, flags));
}

async function examine(context: CommandContext, flags: DoctorFlags): Promise<void> {
  await using engine = await context.openEngine({ root: flags.root });
  const reports = await engine.probe();
  if (flags.json === true) writeJson(context.out, reports);
  else context.out.write(renderBackends(reports, context.out));
  context.setExitCode(reports.some(runsShell) ? EXIT.success : EXIT.failure);
}

function runsShell({ capabilities }: BackendReport): boolean {
  return capabilities.available && capabilities.commands.includes("shell");
}
