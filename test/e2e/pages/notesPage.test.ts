// @long

import type { Service } from "restwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createApp } from "../../../examples/notes/app.js";
import { createNotes } from "../../../examples/notes/service.js";
import type { Listening } from "../../../examples/shop/host.js";
import { listening } from "../../../examples/shop/listening.js";
import { needs } from "../../tools/engines.js";
import { openBrowser } from "./browser.js";

const secret = "a-secret-of-at-least-thirty-two-characters";

let service: Service;
let at: Listening;
let origin: string;
beforeAll(async () => {
  service = await createNotes(secret);
  const app = await createApp(service, secret);
  await app.listen({ port: 0, host: "127.0.0.1" });
  at = await listening(app.server);
  origin = `http://127.0.0.1:${at.port}`;
});
afterAll(() => at.close(() => service.close()));

test("the page of notes loads from its own origin alone, under a policy that says so", async () => {
  const page = await fetch(origin);
  const text = await page.text();
  expect(text).not.toMatch(/https?:\/\/|<style| style=| on[a-z]+="|<script>/);
  for (const [, name] of text.matchAll(/(?:href|src)="([\w.]+)"/g)) {
    const response = await fetch(`${origin}/${name}`);
    expect([name, response.status]).toEqual([name, 200]);
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'self';(?!.*unsafe)/);
  }
});

describe("in a browser (set CHROMIUM_PATH to run)", needs("chromium"), () => {
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function logIn(name: string) {
    const tab = await browser.open(origin);
    const { page } = tab;
    await page.selectOption("#name", name);
    await page.click("#login button");
    if (name !== "") await page.getByText(`You are ${name}`).waitFor();
    return { ...tab, problem: page.locator("#problem"), notes: page.locator("#notes li"), reminders: page.locator("#reminders li") };
  }

  test("two persons side by side see their own notes, what is shared, and why the rest is refused", async () => {
    const [ann, bob, nobody] = [await logIn("ann"), await logIn("bob"), await logIn("")];
    await ann.page.fill("#text", "Buy <b>seeds</b>");
    await ann.page.click("#create button");
    await ann.notes.first().waitFor();
    expect(await ann.notes.locator(".text").textContent()).toBe("Buy <b>seeds</b>");
    const id = (await ann.notes.getAttribute("data-id")) ?? "";

    await bob.page.fill("#id", id);
    await bob.page.click("#open button");
    await bob.problem.getByText(/^404 NOT_FOUND: /).waitFor();
    expect(await bob.notes.count()).toBe(0);

    await ann.notes.locator(".share").selectOption({ label: "team Garden" });
    await bob.notes.first().waitFor();
    expect(await bob.notes.locator(".audience").textContent()).toBe("for team Garden");
    await bob.reminders.getByText("ann shared a note with Garden").waitFor();
    await bob.reminders.locator(".show").click();
    await bob.page.getByText("ann wrote: Buy <b>seeds</b>").waitFor();
    await bob.reminders.locator(".done").click();
    await expect.poll(() => bob.reminders.count(), { timeout: 10_000 }).toBe(0);
    expect(await ann.reminders.count()).toBe(0);
    await bob.notes.locator(".delete").click();
    await bob.problem.getByText(/^403 FORBIDDEN: /).waitFor();
    await bob.page.click("#open button");
    await bob.page.getByText("ann wrote: Buy <b>seeds</b>").waitFor();
    expect(await bob.problem.isVisible()).toBe(false);

    expect(await nobody.notes.count()).toBe(0);
    await ann.notes.locator(".share").selectOption({ label: "everybody" });
    await nobody.notes.first().waitFor();
    await nobody.notes.locator(".delete").click();
    await nobody.problem.getByText(/^401 UNAUTHENTICATED: /).waitFor();
    await ann.notes.locator(".delete").click();
    await expect.poll(() => nobody.notes.count(), { timeout: 10_000 }).toBe(0);
    expect(ann.complaints).toEqual([]);
    for (const { page } of [ann, bob, nobody]) await page.close();
  });
});
