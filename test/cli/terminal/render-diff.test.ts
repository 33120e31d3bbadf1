import { describe, expect, it } from "vitest";
import { renderDiffStat } from "../../../src/cli/terminal/diff-stat.ts";
import { renderDiff } from "../../../src/cli/terminal/render-diff.ts";

const PLAIN = { hasColour: false };
const COLOUR = { hasColour: true };

const bold = (text: string) => `\u001B[1m${text}\u001B[22m\n`;
const red = (text: string) => `\u001B[31m${text}\u001B[39m\n`;
const green = (text: string) => `\u001B[32m${text}\u001B[39m\n`;
const cyan = (text: string) => `\u001B[36m${text}\u001B[39m\n`;
const inverse = (text: string) => `\u001B[7m${text}\u001B[27m`;

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 one
--- a/two
+\u001B[2Jtwo\u202E
 \tthree\r
@@ -10 +10,2 @@
 ten
+eleven
\\ No newline at end of file
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`;

describe("renderDiff()", () => {
  it("escapes what could drive the terminal and keeps the rest when there is no colour", () => {
    const rendered = DIFF.replace("\u001B[2Jtwo\u202E", String.raw`\x1b[2Jtwo\u{202e}`).replace("\r", String.raw`\r`);
    expect(renderDiff(DIFF, PLAIN)).toBe(rendered);
  });

  it("colours each kind of line, and a removed line that looks like a header as removed", () => {
    expect(renderDiff(DIFF, COLOUR)).toBe(
      [
        bold("diff --git a/src/a.ts b/src/a.ts"),
        bold("index 111..222 100644"),
        bold("--- a/src/a.ts"),
        bold("+++ b/src/a.ts"),
        cyan("@@ -1,3 +1,3 @@"),
        " one\n",
        red("--- a/two"),
        green(`+${inverse(String.raw`\x1b`)}[2Jtwo${inverse(String.raw`\u{202e}`)}`),
        ` \tthree${inverse(String.raw`\r`)}\n`,
        cyan("@@ -10 +10,2 @@"),
        " ten\n",
        green("+eleven"),
        "\u001B[2m\\ No newline at end of file\u001B[22m\n",
        bold("diff --git a/run.sh b/run.sh"),
        bold("old mode 100644"),
        bold("new mode 100755"),
      ].join(""),
    );
  });

  it("is empty for an empty diff", () => {
    expect(renderDiff("", COLOUR)).toBe("");
  });
});

describe("renderDiffStat()", () => {
  it("counts the lines of each file, names renamed and deleted ones, and says what is binary", () => {
    const more = `diff --git a/logo.png b/logo.png
index 111..222 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/old name.txt b/new.txt
similarity index 90%
rename from old name.txt
rename to new.txt
--- a/old name.txt
+++ b/new.txt
@@ -1 +1 @@
-a
+b
diff --git "a/gone\\n.txt" "b/gone\\n.txt"
deleted file mode 100644
--- "a/gone\\n.txt"
+++ /dev/null
@@ -1,2 +0,0 @@
-a
-b
`;
    expect(renderDiffStat(DIFF + more, PLAIN)).toBe(
      [
        " src/a.ts     | 3 ++-\n",
        " run.sh       | 0\n",
        " logo.png     | Bin\n",
        " new.txt      | 2 +-\n",
        ' "gone\\n.txt" | 2 --\n',
        " 5 files changed, 3 insertions(+), 4 deletions(-)\n",
      ].join(""),
    );
  });

  it("scales the bars of large changes to 40 characters", () => {
    const added = Array.from({ length: 400 }, (_, index) => `+${index}\n`).join("");
    const diff = `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,400 @@\n${added}`;
    expect(renderDiffStat(diff, PLAIN)).toBe(
      ` x | 400 ${"+".repeat(40)}\n 1 file changed, 400 insertions(+), 0 deletions(-)\n`,
    );
  });
});
