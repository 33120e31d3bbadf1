import { describe, expect, it } from "vitest";

import type { ContainerPlan } from "../../../src/sandbox/docker/container-options.ts";
import { containerOptions } from "../../../src/sandbox/docker/container-options.ts";

const plan: ContainerPlan = {
  imageId: "sha256:1234",
  shell: "/bin/bash",
  script: "echo hello",
  user: { uid: 501, gid: 20 },
  limits: { memoryMb: 512, pids: 256, cpus: 1.5, retainedOutputBytes: 30_000, floodBytes: 1000, graceMs: 2000 },
  environment: { TOKEN: "x=y", LANG: "de_DE.UTF-8" },
  volumeName: "cofferdam-1-abc",
  hasStdin: false,
  labels: { "cofferdam.owner": "1:2:3" },
};

describe("containerOptions()", () => {
  it("containerOptions() gives a command nothing but compute, its workspace and three tmpfs", () => {
    expect(containerOptions(plan)).toStrictEqual({
      Image: "sha256:1234",
      Entrypoint: ["/bin/bash"],
      Cmd: ["-c", "--", "echo hello"],
      User: "501:20",
      WorkingDir: "/workspace",
      Hostname: "sandbox",
      Env: [
        "HOME=/home/agent",
        "LANG=de_DE.UTF-8",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_CONFIG_COUNT=1",
        "GIT_CONFIG_KEY_0=safe.directory",
        "GIT_CONFIG_VALUE_0=*",
        "TOKEN=x=y",
      ],
      Labels: { "cofferdam.owner": "1:2:3" },
      Tty: false,
      AttachStdin: false,
      AttachStdout: true,
      AttachStderr: true,
      OpenStdin: false,
      StdinOnce: false,
      Healthcheck: { Test: ["NONE"] },
      HostConfig: {
        NetworkMode: "none",
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges:true"],
        ReadonlyRootfs: true,
        IpcMode: "private",
        Init: true,
        LogConfig: { Type: "none", Config: {} },
        RestartPolicy: { Name: "no" },
        OomScoreAdj: 500,
        Memory: 536_870_912,
        MemorySwap: 536_870_912,
        NanoCpus: 1_500_000_000,
        PidsLimit: 256,
        Ulimits: [
          { Name: "core", Soft: 0, Hard: 0 },
          { Name: "nofile", Soft: 4096, Hard: 4096 },
        ],
        Tmpfs: {
          "/tmp": "rw,exec,nosuid,nodev,mode=1777,size=256m",
          "/run": "rw,noexec,nosuid,nodev,mode=1777,size=16m",
          "/home/agent": "rw,exec,nosuid,nodev,mode=0700,uid=501,gid=20,size=128m",
        },
        Mounts: [
          {
            Type: "volume",
            Source: "cofferdam-1-abc",
            Target: "/workspace",
            VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: "local", Options: {} } },
          },
        ],
      },
    });
  });

  it("containerOptions() puts an empty tmpfs at /workspace when there is no workspace", () => {
    const { volumeName: _without, ...bare } = plan;
    const { HostConfig } = containerOptions(bare);
    expect(HostConfig?.Mounts).toStrictEqual([]);
    expect(HostConfig?.Tmpfs?.["/workspace"]).toBe("rw,exec,nosuid,nodev,mode=0700,uid=501,gid=20,size=128m");
  });

  it("containerOptions() shares the network of another container, and its host name, when it is told to", () => {
    const options = containerOptions({ ...plan, networkOf: "cofferdam-1-gateway" });
    expect(options.HostConfig?.NetworkMode).toBe("container:cofferdam-1-gateway");
    expect(options).not.toHaveProperty("Hostname");
  });

  it("containerOptions() opens stdin once when the command reads something", () => {
    const options = containerOptions({ ...plan, hasStdin: true });
    expect([options.AttachStdin, options.OpenStdin, options.StdinOnce]).toStrictEqual([true, true, true]);
  });

  it("containerOptions() gives every tmpfs a size when memory is as small as it may be", () => {
    const { HostConfig } = containerOptions({ ...plan, limits: { ...plan.limits, memoryMb: 6 } });
    expect(Object.values(HostConfig?.Tmpfs ?? {}).map((options) => /size=\w+/.exec(options)?.[0])).toStrictEqual([
      "size=3m",
      "size=1m",
      "size=1m",
    ]);
  });
});
