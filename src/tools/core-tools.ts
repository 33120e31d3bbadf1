import type { Tool } from "../contract/tool.ts";
import { applyPatchTool } from "./builtin/apply-patch.ts";
import { askUserTool } from "./builtin/ask-user.ts";
import { deleteFileTool } from "./builtin/delete-file.ts";
import { editFileTool } from "./builtin/edit-file.ts";
import { finishTool } from "./builtin/finish.ts";
import { globTool } from "./builtin/glob.ts";
import { grepTool } from "./builtin/grep.ts";
import { listFilesTool } from "./builtin/list-files.ts";
import { makeDirectoryTool } from "./builtin/make-directory.ts";
import { moveFileTool } from "./builtin/move-file.ts";
import { multiEditTool } from "./builtin/multi-edit.ts";
import { readFileTool } from "./builtin/read-file.ts";
import { readImageTool } from "./builtin/read-image.ts";
import { runJavascriptTool } from "./builtin/run-javascript.ts";
import { shellTool } from "./builtin/shell.ts";
import { todoTool } from "./builtin/todo.ts";
import { writeFileTool } from "./builtin/write-file.ts";

/** The built-in tools: to read, find, write and edit files, to run commands and code in a sandbox, to keep a list, to ask and to end. */
export function coreTools(): readonly Tool[] {
  return [
    readFileTool,
    readImageTool,
    listFilesTool,
    globTool,
    grepTool,
    writeFileTool,
    editFileTool,
    multiEditTool,
    applyPatchTool,
    makeDirectoryTool,
    deleteFileTool,
    moveFileTool,
    shellTool,
    runJavascriptTool,
    todoTool,
    askUserTool,
    finishTool,
  ];
}
