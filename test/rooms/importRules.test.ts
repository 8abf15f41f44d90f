// @slow

import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pathOf } from "./generated.js";

const denied = [
  ["src/capabilities/batch/x.ts", 'import "../webhooks/index.js";'],
  ["src/capabilities/batch/plan/x.ts", 'import "../../webhooks/index.js";'],
  ["src/capabilities/batch/plan/deep/deeper/x.ts", 'export * from "../../../../webhooks/index.js";'],
  ["src/capabilities/batch/x.ts", 'import type { Webhook } from "../webhooks/index.js";'],
  ["src/capabilities/batch/x.ts", 'await import("../../engine/service/index.js");'],
  ["src/capabilities/batch/x.ts", 'import "../../index.js";'],
  ["src/capabilities/batch/x.ts", 'import "restwright/webhooks";'],
  ["src/ground/http/x.ts", 'import "../../language/schema/field.js";'],
  ["src/ground/http/body/x.ts", 'import "../../../language/values/index.js";'],
  ["src/language/schema/x.ts", 'import "../../parts/idempotency/key.js";'],
  ["src/language/query/x.ts", 'import "../../engine/operation/context.js";'],
  ["src/capabilities/transfer/formats/x.ts", 'import "../../formats/index.js";'],
  ["src/parts/auth/jwt/x.ts", 'import "../../../engine/resource/resource.js";'],
  ["src/client/uploads/x.ts", 'import "../../ground/problem/index.js";'],
  ["src/client/admin/x.ts", 'import "../../ground/problem/index.js";'],
  ["src/engine/service/x.ts", 'import "../../../adapters/memory.js";'],
  ["src/testing/storage/x.ts", 'import "../../engine/service/service.js";'],
  ["src/testing/testService.ts", 'import "../../adapters/sql.js";'],
  ["src/index.ts", 'import "./capabilities/batch/index.js";'],
  ["adapters/express.ts", 'import "../src/capabilities/batch/index.js";'],
  ["adapters/hosts/idempotency/x.ts", 'import "../../src/ground/storage/storage.js";'],
  ["adapters/stores/sortedRuns.ts", 'import "../../src/ground/http/message.js";'],
  ["adapters/cli/export/x.ts", 'import "../../../src/capabilities/transfer/export/plan.js";'],
] as const;

const allowed = [
  ["src/capabilities/batch/x.ts", 'import "../jobs/index.js";'],
  ["src/capabilities/batch/x.ts", 'import "./plan/x.js";'],
  ["src/capabilities/batch/plan/x.ts", 'import "../multipart/x.js";'],
  ["src/capabilities/batch/plan/x.ts", 'import "../../../parts/multipart/x.js";'],
  ["src/language/query/x.ts", 'import "../../ground/clock/clock.js";'],
  ["src/language/schema/x.ts", 'import "../../parts/auth/verifier.js";'],
  ["src/capabilities/transfer/import/x.ts", 'import "../formats/x.js";'],
  ["src/parts/auth/jwt/x.ts", 'import "../verifier.js";'],
  ["src/client/uploads/x.ts", 'import "../transport.js";'],
  ["src/client/refine/x.ts", 'import "../admin/ids.js";'],
  ["src/testing/testService.ts", 'import "../../adapters/memory.js";'],
  ["src/index.ts", 'import "./engine/service/index.js";'],
  ["adapters/express.ts", 'import "../src/ground/http/message.js";'],
  ["adapters/sqlite.ts", 'import "./stores/sql/storage.js";'],
  ["adapters/cli/export/x.ts", 'import "../../../src/capabilities/transfer/formats/transferFormat.js";'],
] as const;

describe("the linter, which has the rules of biome.rooms.json", () => {
  /** Rules that are broken, by the file and the line. */
  let broken: ReadonlyMap<string, string>;
  const files = new Map<string, string[]>();
  const lineOf = (file: string, text: string) => `${file}:${(files.get(file) ?? []).indexOf(text) + 1}`;

  const folder = mkdtempSync(join(tmpdir(), "restwright-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(() => {
    for (const [file, text] of [...denied, ...allowed, ["src/capabilities/batch/x.ts", "setTimeout(() => undefined);"] as const]) {
      files.set(file, [...(files.get(file) ?? []), text]);
    }
    for (const [file, lines] of files) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      writeFileSync(join(folder, file), `${lines.join("\n")}\n`);
    }
    for (const file of ["biome.json", "biome.rooms.json"]) copyFileSync(pathOf(file), join(folder, file));
    broken = lint(folder);
  });

  test.each(denied)("denies in %s: %s", (file, text) => {
    expect(broken.get(lineOf(file, text))).toContain("noRestrictedImports");
  });

  test.each(allowed)("allows in %s: %s", (file, text) => {
    expect(broken.get(lineOf(file, text))).toBeUndefined();
  });

  test("still has the rules of biome.json for the same files", () => {
    expect(broken.get(lineOf("src/capabilities/batch/x.ts", "setTimeout(() => undefined);"))).toContain("noRestrictedGlobals");
  });
});

function lint(folder: string): Map<string, string> {
  const options = [
    "--only=style/noRestrictedImports",
    "--only=style/noRestrictedGlobals",
    "--vcs-enabled=false",
    "--reporter=github",
    "--max-diagnostics=none",
  ];
  const biome = pathOf("node_modules/@biomejs/biome/bin/biome");
  const { stdout } = spawnSync(process.execPath, [biome, "lint", ...options, "src", "adapters"], { cwd: folder, encoding: "utf8" });
  const found = [...stdout.matchAll(/^::error title=lint\/style\/(\w+),file=([^,]+),line=(\d+)/gm)];
  return new Map(found.map(([, rule = "", file = "", line]) => [`${file.slice(file.search(/(?:src|adapters)\//))}:${line}`, rule]));
}
