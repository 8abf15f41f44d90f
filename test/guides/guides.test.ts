import { SignJWT } from "jose";
import type { Service, Storage } from "restwright";
import { bearer } from "restwright/auth";
import { expect, test } from "vitest";
import { guideCode, guidePage } from "./guidePage.js";
import { ownRows } from "./ownRows.js";
import { publicRows } from "./publicRows.js";
import { teamTasks } from "./teams.js";
import { testGuide } from "./testGuide.js";

const secret = "a-secret-of-at-least-thirty-two-characters";
const byName = [bearer((token) => ({ id: token }))];

/** Its code is a test, which runs by itself. */
test("docs/guides/testing-rules.md has at most 120 lines, and shows testingRules.test.ts", () => {
  const { lines, blocks } = guidePage("testing-rules");
  expect([lines <= 120, blocks.length]).toEqual([true, 2]);
  for (const block of blocks) expect(guideCode("./testingRules.test.ts")).toContain(block);
});

testGuide({ page: "own-rows", file: "./ownRows.ts", open: (storage) => ownRows(storage, secret), tokenOf: signedToken });
testGuide({ page: "public-rows", file: "./publicRows.ts", open: (storage) => publicRows(storage, byName), tokenOf: (who) => who });
testGuide({ page: "teams", file: "./teams.ts", open: openTeams, tokenOf: (who) => who });

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
