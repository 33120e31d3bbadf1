import type { Tool } from "../contract/tool.ts";
import { deleteFileTool } from "./builtin/delete-file.ts";
import { editFileTool } from "./builtin/edit-file.ts";
import { globTool } from "./builtin/glob.ts";
import { grepTool } from "./builtin/grep.ts";
import { listFilesTool } from "./builtin/list-files.ts";
import { moveFileTool } from "./builtin/move-file.ts";
import { readFileTool } from "./builtin/read-file.ts";
import { runJavascriptTool } from "./builtin/run-javascript.ts";
import { shellTool } from "./builtin/shell.ts";
import { writeFileTool } from "./builtin/write-file.ts";

/** The built-in tools: to read, find, write and edit files, and to run commands and code in a sandbox. */
export function coreTools(): readonly Tool[] {
  return [
    readFileTool,
    listFilesTool,
    globTool,
    grepTool,
    writeFileTool,
    editFileTool,
    deleteFileTool,
    moveFileTool,
    shellTool,
    runJavascriptTool,
  ];
}
