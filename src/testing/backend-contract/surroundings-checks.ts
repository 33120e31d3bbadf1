import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ConfigurationError } from "../../errors/configuration-error.ts";
import type { BackendCheck } from "./backend-check.ts";
import { exited, outcomeOf, runScript } from "./run-command.ts";

const ODD_VALUE = "two words\n\"quoted\" 'twice' $HOME `id` \\ é -";

/** What a command finds around itself, and what it does not. */
export const surroundingsChecks: readonly BackendCheck[] = [
  {
    name: "run() starts in the workspace, in a directory that can be written",
    needs: ["shell"],
    async run({ backend }) {
      const script = "pwd; ls -A; echo x >file && cat file";
      deepEqual(outcomeOf(await runScript(backend, script)), exited(0, { stdout: "/workspace\nx\n" }));
    },
  },
  {
    name: "run() gives each variable of the environment as it was asked for",
    needs: ["shell"],
    async run({ backend }) {
      const request = { env: { GREETING: ODD_VALUE, EMPTY: "" } };
      equal(
        (await runScript(backend, 'printf "%s" "$GREETING[${EMPTY-unset}]"', { request })).stdout,
        `${ODD_VALUE}[]`,
      );
    },
  },
  {
    name: "run() gives nothing of the engine's environment",
    needs: ["shell"],
    async run({ backend }) {
      const name = `CANARY_${randomUUID().replaceAll("-", "_")}`;
      process.env[name] = "leaked";
      try {
        const { stdout } = await runScript(backend, "env");
        match(stdout, /^HOME=\/home\/agent$/m);
        ok(!stdout.includes(name), `${name} is there`);
      } finally {
        // oxlint-disable-next-line typescript/no-dynamic-delete -- an undefined variable would be the text "undefined"
        delete process.env[name];
      }
    },
  },
  {
    name: "open() refuses an environment that cannot be passed on",
    needs: ["shell"],
    async run({ backend }) {
      for (const env of [{ "A=B": "" }, { "": "x" }, { NUL: "a\0b" }]) {
        await rejects(backend.open({ env }), {
          name: ConfigurationError.name,
          message: /^Cannot set the environment variable /,
        });
      }
    },
  },
  {
    name: "run() has a locale in which text is UTF-8",
    needs: ["shell"],
    async run({ backend }) {
      equal((await runScript(backend, 'echo "$LANG"; printf é | wc -m | tr -d " "')).stdout, "C.UTF-8\n1\n");
    },
  },
  {
    name: "run() has no terminal",
    needs: ["shell"],
    async run({ backend }) {
      const script = "for fd in 0 1 2; do [ -t $fd ] && echo terminal; done; echo none";
      equal((await runScript(backend, script)).stdout, "none\n");
    },
  },
  {
    name: "run() can open no terminal that controls it",
    needs: ["shell", "programs"],
    async run({ backend }) {
      equal((await runScript(backend, "(: </dev/tty) 2>/dev/null && echo terminal; echo none")).stdout, "none\n");
    },
  },
  {
    name: "run() has a home of its own",
    needs: ["shell"],
    async run({ backend }) {
      equal((await runScript(backend, 'cd && pwd && echo x >file && cat "$HOME/file"')).stdout, "/home/agent\nx\n");
    },
  },
  {
    name: "run() keeps nothing of one command for the next but the workspace",
    needs: ["shell"],
    async run({ backend }) {
      await using session = await backend.open({});
      const run = async (script: string): Promise<string> =>
        (await session.run({ kind: "shell", script }, { timeoutMs: 60_000 })).stdout;
      equal(await run("LEFT=1; export LEFT; cd /; echo x >/tmp/left; echo x >~/left; echo done"), "done\n");
      equal(await run('echo "${LEFT-unset}"; pwd; ls -A /tmp ~ | grep left; echo end'), "unset\n/workspace\nend\n");
    },
  },
  {
    name: "run() cannot read a file of the host",
    needs: ["shell"],
    async run({ backend }) {
      const directory = await mkdtemp(join(tmpdir(), "cofferdam-contract-"));
      try {
        const file = join(directory, "secret");
        await writeFile(file, "secret of the host");
        const { stdout, exitCode } = await runScript(backend, `cat ${file} /proc/1/root${file} 2>&1; echo end; exit 9`);
        equal(exitCode, 9);
        ok(!stdout.includes("secret of the host"), stdout);
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  },
  {
    name: "run() reaches nothing that listens on this machine",
    needs: ["shell", "programs", "network"],
    async run({ backend }) {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      }).listen(0);
      try {
        await once(server, "listening");
        const address = server.address();
        const port = address === null || typeof address === "string" ? 0 : address.port;
        const hosts = "127.0.0.1 ::1 localhost $(hostname) 172.17.0.1 host.docker.internal";
        const script = `for host in ${hosts}; do (exec 3<>/dev/tcp/$host/${port}) 2>/dev/null && echo $host; done; echo end`;
        deepEqual([(await runScript(backend, script)).stdout, connections], ["end\n", 0]);
      } finally {
        server.close();
      }
    },
  },
  {
    name: "run() gives a command its three streams and no other descriptor",
    needs: ["shell", "programs"],
    async run({ backend }) {
      equal((await runScript(backend, "ls /proc/$$/fd; :")).stdout, "0\n1\n2\n");
    },
  },
  {
    name: "run() takes a script of 100,000 characters",
    needs: ["shell"],
    async run({ backend }) {
      equal((await runScript(backend, `: '${"x".repeat(100_000)}'\necho fits`)).stdout, "fits\n");
    },
  },
  {
    name: "run() takes a script of many lines, with every kind of quote, as it is",
    needs: ["shell"],
    async run({ backend }) {
      const script = `\n\n  cat <<'END'\n  it's "$HOME" \`id\` \\ é\nEND\n# done\n`;
      equal((await runScript(backend, script)).stdout, `  it's "$HOME" \`id\` \\ é\n`);
    },
  },
];
