import { SignJWT } from "jose";
import type { Service, Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { type GuideRequest, guideCode, guidePage } from "./guidePage.js";
import { ownRows } from "./ownRows.js";
import { publicRows } from "./publicRows.js";
import { teamTasks } from "./teams.js";

const secret = "a-secret-of-at-least-thirty-two-characters";
const byName = [bearer((token) => ({ id: token }))];

/** Its code is a test, which runs by itself. */
test("docs/guides/testing-rules.md has at most 60 lines, and shows testingRules.test.ts", () => {
  const { lines, blocks } = guidePage("testing-rules");
  expect([lines <= 60, blocks.length]).toEqual([true, 1]);
  for (const block of blocks) expect(guideCode("./testingRules.test.ts")).toContain(block);
});

interface Guide {
  readonly page: string;
  readonly file: string;
  open(storage: Storage): Service | Promise<Service>;
  tokenOf(who: string): string | Promise<string>;
}

const guides: readonly Guide[] = [
  { page: "own-rows", file: "./ownRows.ts", open: (storage) => ownRows(storage, secret), tokenOf: signedToken },
  { page: "public-rows", file: "./publicRows.ts", open: (storage) => publicRows(storage, byName), tokenOf: (who) => who },
  { page: "teams", file: "./teams.ts", open: openTeams, tokenOf: (who) => who },
];

function signedToken(who: string): Promise<string> {
  const token = new SignJWT(who === "root" ? { role: "admin" } : {}).setProtectedHeader({ alg: "HS256" }).setSubject(who);
  return token.setIssuer("notes").setAudience("notes").setExpirationTime("5m").sign(new TextEncoder().encode(secret));
}

/** Ann is a member of team 1, bob of team 2. */
async function openTeams(storage: Storage): Promise<Service> {
  const service = teamTasks(storage, byName);
  const system = service.asSystem();
  for (const [index, userId] of ["ann", "bob"].entries()) {
    await system.teams.create({ name: `Team of ${userId}` });
    await system.memberships.create({ teamId: index + 1, userId });
  }
  return service;
}

const stores: readonly [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

describe.each(guides)("docs/guides/$page.md", ({ page, file, open, tokenOf }) => {
  const { lines, blocks, requests } = guidePage(page);

  test("has at most 60 lines, and shows the code that is run here", () => {
    expect(lines).toBeLessThanOrEqual(60);
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
      answers.push({ ...request, answer: described(answer.status, body) });
    }
    expect(answers.length).toBeGreaterThan(4);
    expect(answers).toEqual(requests);
  });
});

async function sent({ who, method, target, body }: GuideRequest, id: string, tokenOf: Guide["tokenOf"]): Promise<Request> {
  const headers = new Headers(who === "anonymous" ? {} : { authorization: `Bearer ${await tokenOf(who)}` });
  if (body !== undefined) headers.set("content-type", "application/json");
  const url = `http://guide.test${target.replace("{id}", id)}`;
  return new Request(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
}

/** The answer in the words of the table. */
function described(
  status: number,
  { data, errors, code }: { data?: readonly unknown[]; errors?: readonly { code: string }[]; code?: string },
): string {
  if (data !== undefined) return `${status}, ${data.length} ${data.length === 1 ? "row" : "rows"}`;
  const reason = errors?.[0]?.code ?? code;
  return reason === undefined ? `${status}` : `${status} ${reason}`;
}
