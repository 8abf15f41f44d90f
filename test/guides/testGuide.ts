import type { Service, Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { type GuideRequest, guideCode, guidePage } from "./guidePage.js";

/** A page of docs/guides, with the program that it shows. */
export interface Guide {
  readonly page: string;
  /** The file of the program, relative to this folder. */
  readonly file: string;
  /** How many lines the page may have; 60 by default. */
  readonly maxLines?: number;
  open(storage: Storage): Service | Promise<Service>;
  tokenOf(who: string): string | Promise<string>;
}

/** The stores that each guide runs on. */
export const stores: readonly [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

/** Tests that a page shows the program, and that its table of requests is true. */
export function testGuide({ page, file, maxLines = 60, open, tokenOf }: Guide): void {
  describe(`docs/guides/${page}.md`, () => {
    const { lines, blocks, requests } = guidePage(page);

    test(`has at most ${maxLines} lines, and shows the code that is run here`, () => {
      expect(lines).toBeLessThanOrEqual(maxLines);
      expect(blocks).toHaveLength(1);
      for (const block of blocks) expect(guideCode(file)).toContain(block);
    });

    test.each(stores)("says what each caller gets, on %s", async (_, openStore) => {
      const service = await open(openStore());
      onTestFinished(() => service.close());
      let id = "";
      const answers: GuideRequest[] = [];
      for (const request of requests) {
        const answer = await service.fetch(await sent(request, id, tokenOf));
        const text = await answer.text();
        const body = text === "" ? {} : JSON.parse(text);
        if (answer.status === 201) id = String(body.id);
        answers.push({ ...request, answer: describedAnswer(answer.status, body, request.answer) });
      }
      expect(answers.length).toBeGreaterThan(4);
      expect(answers).toEqual(requests);
    });
  });
}

async function sent({ who, method, target, body, key }: GuideRequest, id: string, tokenOf: Guide["tokenOf"]): Promise<Request> {
  const headers = new Headers(who === "anonymous" ? {} : { authorization: `Bearer ${await tokenOf(who)}` });
  if (body !== undefined) headers.set("content-type", "application/json");
  if (key !== undefined) headers.set("idempotency-key", key);
  const url = `http://guide.test${target.replace("{id}", id)}`;
  return new Request(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
}

interface Answer {
  readonly data?: readonly unknown[];
  readonly errors?: readonly { readonly code: string }[];
  readonly code?: string;
  readonly [member: string]: unknown;
}

/** The answer in the words of the table, with the member of the body that the table names. */
export function describedAnswer(status: number, { data, errors, code, ...members }: Answer, expected: string): string {
  if (data !== undefined) return `${status}, ${data.length} ${data.length === 1 ? "row" : "rows"}`;
  const reason = errors?.[0]?.code ?? code;
  if (reason !== undefined) return `${status} ${reason}`;
  const [, member] = /^\d+, ([a-z]\w*) /.exec(expected) ?? [];
  return member === undefined ? `${status}` : `${status}, ${member} ${JSON.stringify(members[member])}`;
}
