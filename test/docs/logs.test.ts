import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}docs/logs.md`, "utf8");

/** Messages of calls of a logger, up to what is inserted into them. */
function messagesOf(source: string): readonly string[] {
  const calls = source.matchAll(/\b(?:logger\??\.(?:error|warn|info|debug)\(|performance\.warn\()[^;]*?,\s*["`]((?:[^"`$\\])+)/g);
  return [...calls].map(([, message = ""]) => message.trim());
}

test("docs/logs.md has every message that is written in a call of a logger", () => {
  const paths = readdirSync(`${root}src`, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const messages = paths.flatMap((path) => messagesOf(readFileSync(`${root}src/${path}`, "utf8")));
  expect(messages.length).toBeGreaterThan(20);
  expect(messages.filter((message) => !page.includes(message))).toEqual([]);
});
