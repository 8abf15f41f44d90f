import { expect, test } from "vitest";
import { addVary } from "../../../src/ground/http/headers/addVary.js";
import type { ResponseHeaders } from "../../../src/ground/http/message.js";

const cases: readonly (readonly [before: string | readonly string[] | undefined, names: readonly string[], after: string])[] = [
  [undefined, ["Accept", "Origin"], "Accept, Origin"],
  ["", ["Accept"], "Accept"],
  ["Origin", ["Accept"], "Origin, Accept"],
  ["origin , ACCEPT", ["Accept", "Origin", "Cookie"], "origin , ACCEPT, Cookie"],
  ["Accept-Encoding", ["Accept"], "Accept-Encoding, Accept"],
  ["*", ["Accept"], "*"],
  ["Accept, *", ["Origin"], "Accept, *"],
  [["Accept", "Origin"], ["Origin", "Cookie"], "Accept,Origin, Cookie"],
];

test.each(cases)("Vary: %s gets those of %s that it lacks", (before, names, after) => {
  const headers: ResponseHeaders = before === undefined ? {} : { vary: before };
  addVary(headers, names);
  expect(headers).toEqual({ vary: after });
});
