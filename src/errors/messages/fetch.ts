import { asClause } from "./as-clause.ts";

/** What `fetch_url` answers. */
export const fetchMessages = {
  badAddress: (url: string) =>
    `Cannot fetch ${JSON.stringify(url)}: it is no address of a page; give a whole address that begins with http:// or https://, without a user or a password`,
  notAllowed: (url: string, reason: string) =>
    `Cannot fetch ${JSON.stringify(url)}: ${asClause(reason)}; only the user can allow it`,
  tooManyRedirects: (url: string, limit: number) =>
    `Cannot fetch ${JSON.stringify(url)}: it leads on more than ${limit} times; give the address of the page itself`,
  failed: (url: string, reason: string) =>
    `Cannot fetch ${JSON.stringify(url)}: ${reason}; try again later, or go on without`,
  status: (url: string, status: string) => `Cannot fetch ${JSON.stringify(url)}: the server answers ${status}`,
  noText: (url: string, type: string) =>
    `Cannot show ${JSON.stringify(url)}: it is ${type}, which is neither text nor an image; fetch another form of it`,
  imageTooLarge: (url: string, limit: string) =>
    `Cannot show ${JSON.stringify(url)}: it is an image of more than ${limit}; fetch a smaller form of it`,
  notConverted: "(the page could not be turned into Markdown in time; this is its HTML)",
  cut: (limit: string) => `(cut: the answer is longer than ${limit})`,
  ledTo: (url: string) => `(it led to ${url})`,
  empty: "(the answer is empty)",
} as const;
