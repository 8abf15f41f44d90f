import { readFileSync } from "node:fs";

/** A line of the table of requests. */
export interface GuideRequest {
  readonly who: string;
  readonly method: string;
  readonly target: string;
  readonly body: unknown;
  /** The Idempotency-Key. */
  readonly key: string | undefined;
  /** `404 NOT_FOUND`, `200, 1 row`, or with a member of the body: `200, status "open"`. */
  readonly answer: string;
}

/** A page of docs/guides: its length, its code and its table of requests. */
export function guidePage(name: string) {
  const page = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), "utf8");
  const [, table = ""] = page.split("| who | request | answer |\n|---|---|---|\n");
  const rows = table.split("\n\n", 1)[0]?.trim().split("\n") ?? [];
  return {
    lines: page.trimEnd().split("\n").length,
    blocks: guideBlocks(page),
    requests: rows.filter((row) => row !== "").map(requestOf),
  };
}

/** The TypeScript of a page, as {@link guideCode} gives that of a file. */
export function guideBlocks(page: string): string[] {
  return [...page.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = ""]) => withoutSpace(block));
}

/** The code of a file as the blocks of a page have it. */
export function guideCode(file: string): string {
  return withoutSpace(readFileSync(new URL(file, import.meta.url), "utf8"));
}

function requestOf(row: string): GuideRequest {
  const [, who = "", request = "", key, answer = ""] = /^\| (\w+) \| `([^`]+)`(?: with the key `([\w-]+)`)? \| (.+) \|$/.exec(row) ?? [];
  const [, method = "", target = "", body = ""] = /^(\w+) (\S+) ?(.*)$/.exec(request) ?? [];
  if (method === "") throw new Error(`This is no row of requests: ${row}`);
  return { who, method, target, body: body === "" ? undefined : JSON.parse(body), key, answer };
}

/** Pages leave out the brackets that this repository writes around names of open objects. */
function withoutSpace(text: string): string {
  return text
    .replaceAll(/^import .*$/gm, "")
    .replaceAll(/^\/\/ The code of docs.*$/gm, "")
    .replaceAll(/\?\.\["(\w+)"\]/g, "?.$1")
    .replaceAll(/\s+/g, " ")
    .trim();
}
