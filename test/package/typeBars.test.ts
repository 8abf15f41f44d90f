import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Consumer } from "./consumer.js";
import { type Caller, plainProgram, typeProgram } from "./typeProgram.js";

/** What most programs have, and one with everything. */
const programs = { plain: plainProgram, full: typeProgram };

/**
 * What the compiler may need for a program of so many collections: type instantiations, which are the same on every machine. The limits are what was measured and 2 %;
 * docs/calls.md and docs/client.md have the figures.
 */
const bars: readonly { program: keyof typeof programs; caller: Caller; collections: number; maxInstantiations: number }[] = [
  { program: "plain", caller: "code", collections: 50, maxInstantiations: 72_500 },
  { program: "plain", caller: "client", collections: 50, maxInstantiations: 84_900 },
  { program: "full", caller: "code", collections: 50, maxInstantiations: 223_000 },
  { program: "full", caller: "code", collections: 200, maxInstantiations: 861_000 },
  { program: "full", caller: "client", collections: 50, maxInstantiations: 243_000 },
  { program: "full", caller: "client", collections: 200, maxInstantiations: 936_000 },
];

describe.each(["5.4", "5.9", "7.0"])("Typed calls of many collections on TypeScript %s", (version) => {
  const consumer = new Consumer("module");
  beforeAll(async () => {
    for (const { program, caller, collections } of bars) consumer.write(fileOf(program, caller, collections), programs[program](collections, caller));
    await consumer.install([inject("tarball"), "zod", "@types/node", `typescript@~${version}.0`]);
  });
  afterAll(() => consumer.remove());

  test.each(bars)("compiles $program calls of $caller to $collections collections within its limit", async (bar) => {
    const { program, caller, collections, maxInstantiations } = bar;
    const report = await consumer.run(process.execPath, [
      "node_modules/typescript/bin/tsc",
      ...["--noEmit", "--strict", "--skipLibCheck", "--extendedDiagnostics"],
      ...["--target", "es2022", "--types", "node", "--module", "nodenext"],
      fileOf(program, caller, collections),
    ]);
    const instantiations = Number(/Instantiations:\s+(\d+)/.exec(report)?.[1]);
    process.stdout.write(`TypeScript ${version}, ${program}, ${caller}, ${collections} collections: ${instantiations} instantiations\n`);
    expect(instantiations).toBeGreaterThan(0);
    // Other versions count otherwise: there, that it compiles is enough.
    if (version === "5.9") expect(instantiations).toBeLessThanOrEqual(maxInstantiations);
  });
});

function fileOf(program: string, caller: Caller, collections: number): string {
  return `${program}-${caller}-${collections}.ts`;
}
