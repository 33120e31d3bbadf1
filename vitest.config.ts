import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Processes, containers and mounts: one file at a time per core keeps each test's clock honest.
    maxWorkers: 2,
    // For the tests that hold memory to a limit.
    execArgv: ["--expose-gc"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
