import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";
import { type Caller, typeProgram } from "./typeProgram.js";

/**
 * What the compiler may need for a program of so many collections: type instantiations, which are the same on every machine. The limits are what was measured and 2 %;
 * docs/calls.md and docs/client.md have the figures.
 */
const bars: readonly { caller: Caller; collections: number; maxInstantiations: number }[] = [
  { caller: "code", collections: 50, maxInstantiations: 223_000 },
  { caller: "code", collections: 200, maxInstantiations: 861_000 },
  { caller: "client", collections: 50, maxInstantiations: 243_000 },
  { caller: "client", collections: 200, maxInstantiations: 936_000 },
];

describe.each(["5.4", "5.9", "7.0"])("Typed calls of many collections on TypeScript %s", (version) => {
  const consumer = new Consumer("module");
  beforeAll(async () => {
    for (const { caller, collections } of bars) consumer.write(`${caller}${collections}.ts`, typeProgram(collections, caller));
    await consumer.install([inject("tarball"), "zod", "@types/node", `typescript@~${version}.0`]);
  });
  afterAll(() => consumer.remove());

  test.each(bars)("compiles calls of $caller to $collections collections within its limit", async ({ caller, collections, maxInstantiations }) => {
    const report = await consumer.run(process.execPath, [
      "node_modules/typescript/bin/tsc",
      ...["--noEmit", "--strict", "--skipLibCheck", "--extendedDiagnostics"],
      ...["--target", "es2022", "--types", "node", "--module", "nodenext"],
      `${caller}${collections}.ts`,
    ]);
    const instantiations = Number(/Instantiations:\s+(\d+)/.exec(report)?.[1]);
    process.stdout.write(`TypeScript ${version}, ${caller}, ${collections} collections: ${instantiations} instantiations\n`);
    expect(instantiations).toBeGreaterThan(0);
    // Other versions count otherwise: there, that it compiles is enough.
    if (version === "5.9") expect(instantiations).toBeLessThanOrEqual(maxInstantiations);
  });
});
