/** What the proxy of an allowlist says, to the person who writes the list and to the command that meets it. */
export const egressMessages = {
  badHost: (entry: string, problem: string) =>
    `Cannot allow the host ${JSON.stringify(entry)}: ${problem}; use a name such as "packages.example.com", "*.example.com" or "example.com:8443"`,
  notInList: (host: string, port: number) => `Cannot reach "${host}:${port}": it is not in the list of allowed hosts`,
  badTarget: "Cannot reach the target: it is not written as a plain host name and port",
  unresolved: (host: string) => `Cannot reach "${host}": its name cannot be resolved`,
  notPublic: (host: string) => `Cannot reach "${host}": its name stands for an address that is not public`,
  gatewayImageMissing: (image: string) => `the Docker Engine has no image "${image}", which the way out runs in`,
  gatewayFailed: (said: string) =>
    `Cannot open the way out of the sandbox: ${said}; the Docker Engine must run on this machine and see its files`,
  gatewaySilent: (seconds: number) => `it does not listen within ${seconds} seconds`,
};
