import { downloadOf, equal, picture, requestOf, rowsOf, type Stage, waitForCount, waitForPicture } from "./stage.js";

/** react-admin with its own inputs and buttons. */
export async function checkReactAdmin({ page, users, check }: Stage): Promise<void> {
  const rows = page.locator("tbody tr");
  const total = (text: string) => page.getByText(text, { exact: true }).waitFor();
  const openUser = (name: string) => rows.filter({ hasText: name }).click();
  const search = page.locator('input[name="q"]');
  /** Alone in the list, whatever its page. */
  async function find(name: string): Promise<void> {
    await search.fill(name);
    await waitForCount(rows, 1);
  }

  await check("list", async () => {
    await total("1-10 of 25");
    equal(await rows.count(), 10);
    await rows.first().getByText("User 25").waitFor();
  });

  await check("sort", async () => {
    const header = page.locator("thead").getByText("Name");
    await header.click();
    await rows.first().getByText("User 01").waitFor();
    await header.click();
    await rows.first().getByText("User 25").waitFor();
  });

  await check("pages", async () => {
    await page.getByRole("button", { name: "Go to page 3" }).click();
    await total("21-25 of 25");
    await rows.first().getByText("User 05").waitFor();
    await page.getByRole("button", { name: "Go to page 1" }).click();
    await total("1-10 of 25");
  });

  await check("filters", async () => {
    await page.locator("div[role=combobox]").first().click();
    await page.getByRole("option", { name: "inactive", exact: true }).click();
    await total("1-8 of 8");
    await search.fill("User 09");
    await total("1-1 of 1");
    await page.locator("div[role=combobox]").first().click();
    await page.getByRole("option").first().click();
    await search.fill("");
    await total("1-10 of 25");
  });

  await check("create, with the faults of its fields first", async () => {
    await page.getByRole("link", { name: "Create" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill("nowhere");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".Mui-error").getByText("Invalid email address").waitFor();
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByRole("button", { name: "Save" }).click();
    await total("1-10 of 26");
    equal((await users.named("Ada"))?.email, "ada@example.com");
  });

  await check("edit, by what differs and with the ETag", async () => {
    await find("User 03");
    await openUser("User 03");
    await page.getByLabel("Name").fill("User 03 renamed");
    const request = await requestOf(page, "PATCH", () => page.getByRole("button", { name: "Save" }).click());
    equal(request.postDataJSON(), { name: "User 03 renamed" });
    equal(/^"[^"]+"$/.test(request.headers()["if-match"] ?? ""), true);
    await rows.first().waitFor();
    equal((await users.named("User 03 renamed"))?.status, "inactive");
  });

  await check("a conflict is shown, and nothing is overwritten", async () => {
    await find("User 04");
    await openUser("User 04");
    await page.getByLabel("Name").fill("Mine");
    await users.rename("User 04", "User 04 theirs");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .locator(".MuiSnackbarContent-message, .MuiSnackbar-root")
      .getByText(/not in the state that the request requires/)
      .waitFor();
    equal((await users.named("User 04 theirs"))?.name, "User 04 theirs");
    await page.goto(page.url().replace(/#.*/, "#/users"));
  });

  await check("a file", async () => {
    await find("User 05");
    await openUser("User 05");
    await page.locator("input[type=file]").setInputFiles(picture);
    await page.locator('img[alt="me.png"], img[title="me.png"]').first().waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await rows.first().waitFor();
    equal((await users.named("User 05"))?.avatar?.filename, "me.png");
    await openUser("User 05");
    await waitForPicture(page, "me.png");
  });

  await check("delete, with the ETag", async () => {
    await page.goto(page.url().replace(/#.*/, "#/users"));
    await find("User 06");
    await openUser("User 06");
    await page.getByRole("button", { name: "Delete" }).click();
    const request = await requestOf(page, "DELETE", () => page.getByRole("button", { name: "Confirm" }).click());
    equal(request.headers()["if-match"] !== undefined, true);
    await search.waitFor();
    await search.fill("");
    await total("1-10 of 25");
    equal(await users.named("User 06"), undefined);
  });

  await check("delete many", async () => {
    await search.fill("user1");
    await total("1-10 of 10");
    for (const name of ["User 10", "User 11"]) await rows.filter({ hasText: name }).getByRole("checkbox").check();
    await page.getByRole("button", { name: "Delete" }).click();
    const request = await requestOf(page, "POST", () => page.getByRole("button", { name: "Confirm" }).click());
    equal(new URL(request.url()).pathname, "/v1/batch");
    await total("1-8 of 8");
    equal([await users.named("User 10"), await users.count()], [undefined, 23]);
    await search.fill("");
    await total("1-10 of 23");
  });

  await check("export of the page, and of the service", async () => {
    equal(rowsOf(await downloadOf(page, () => page.getByRole("button", { name: "Export" }).click())).length, 23);
    await search.fill("user2");
    await total("1-6 of 6");
    equal(rowsOf(await downloadOf(page, () => page.getByRole("button", { name: "All as CSV" }).click())).length, 6);
  });
}
