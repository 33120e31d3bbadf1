import { expect, it } from "vitest";
import { toMarkdown } from "../../../src/tools/fetch/to-markdown.ts";

it("toMarkdown() is rejected with the reason of an abort while a page is converted", async () => {
  const controller = new AbortController();
  const converting = toMarkdown("<div>".repeat(30_000), controller.signal);
  setTimeout(() => controller.abort(new Error("enough")), 50);
  await expect(converting).rejects.toThrow("enough");
});
