import formatBytes from "bytes";

/** Writes a size for people: "512 B", "1.2 KB" (of 1,024 bytes), "3 MB". */
export function formatSize(bytes: number): string {
  return formatBytes.format(bytes, { decimalPlaces: 1, unitSeparator: " " }) ?? `${bytes} B`;
}
