import { readPlainTree } from "./plain-tree.ts";

// A program: prints the tree of the directory in its argument. It runs where a mount is that nobody else sees.
process.stdout.write(JSON.stringify(await readPlainTree(process.argv[2] ?? "")));
