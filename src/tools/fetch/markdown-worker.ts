import { parentPort, workerData } from "node:worker_threads";

import { NodeHtmlMarkdown } from "node-html-markdown";

// The whole program of a worker: `workerData` is a page's HTML, the answer its Markdown.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- the port of a worker, not a window
parentPort?.postMessage(NodeHtmlMarkdown.translate(String(workerData)));
