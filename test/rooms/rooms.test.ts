import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { generated, pathOf, readGenerated } from "./generated.js";
import { adapters, floors, rooms } from "./rooms.js";

/** Files and folders of a folder, from the root of the repository; of a floor those that stand on it. */
const contentsOf = (folder: string): string[] =>
  readdirSync(pathOf(folder)).flatMap((name) => (name in floors ? contentsOf(`${folder}/${name}`) : [`${folder}/${name}`]));

describe("rooms.json", () => {
  test("has a row for each folder and file of the floors", () => {
    const paths = new Set(rooms.flatMap((room) => room.paths));
    expect(contentsOf("src").filter((path) => !paths.has(path))).toEqual([]);
  });

  test("has each file and folder of adapters in one row", () => {
    expect(adapters.flatMap((adapter) => adapter.paths).sort()).toEqual(contentsOf("adapters").sort());
  });

  test("names nothing that does not exist", () => {
    expect([...rooms, ...adapters].flatMap(({ paths }) => paths).filter((path) => !existsSync(pathOf(path)))).toEqual([]);
  });

  test.each(Object.entries(generated))("is what %s was made of; otherwise run `npm run rooms`", (file, generate) => {
    const current = readGenerated(file);
    // A comparison of whole files would print their tables.
    expect(generate(current) === current, `${file} differs from rooms.json. Run "npm run rooms".`).toBe(true);
  });
});

test("No import goes down and up again, as the rules of imports match texts", () => {
  const files = ["src", "adapters"].flatMap((folder) =>
    readdirSync(pathOf(folder), { recursive: true, encoding: "utf8" }).flatMap((name) => (name.endsWith(".ts") ? [`${folder}/${name}`] : [])),
  );
  expect(files.length).toBeGreaterThan(1000);
  const detours = files.flatMap((file) =>
    [...readFileSync(pathOf(file), "utf8").matchAll(/(?:\bfrom|\bimport\(|\bimport) ?"(\.[^"]*[^./"][^"]*\/\.\.?\/[^"]*|\.\/\.[^"]*)"/g)].map(
      ([text]) => `${file}: ${text}`,
    ),
  );
  expect(detours).toEqual([]);
});
