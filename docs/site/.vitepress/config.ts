import { readdirSync } from "node:fs";
import { anchorOf } from "../pages/markdown.js";
import { chapters } from "../pages/navigation.js";

const sidebar = chapters.flatMap(({ title, groups }) =>
  groups.map((group) => ({
    text: group.title,
    // The guides are what most readers look for.
    collapsed: title !== "Guides",
    items: group.pages.map(([path, text]) => ({ text, link: `/${path}` })),
  })),
);

/** The reference is made of the declarations before the site is built. */
const entries = readdirSync(new URL("../.pages/api/", import.meta.url)).map((name) => name.replace(".md", ""));
const reference = {
  text: "API by entry",
  collapsed: true,
  items: ["restwright", ...entries.filter((name) => name !== "restwright")].map((name) => ({
    text: name === "restwright" ? name : `restwright/${name.replace("client-", "client/")}`,
    link: `/api/${name}`,
  })),
};

const firstOf = (index: number) => `/${chapters[index]?.groups[0]?.pages[0]?.[0] ?? ""}`;

export default {
  title: "restwright",
  description: "HTTP APIs with the hard parts right: define collections with zod, mount one handler.",
  base: process.env["DOCS_BASE"] ?? "/",
  srcDir: ".pages",
  outDir: "../.site",
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: {
    // The anchors are those of GitHub, so that one link works in both places.
    anchor: { slugify: anchorOf },
    attrs: { disable: true },
    languageAlias: { vcl: "c" },
    theme: { light: "github-light-high-contrast", dark: "github-dark" },
  },
  themeConfig: {
    nav: [...chapters.map(({ title }, index) => ({ text: title, link: firstOf(index) })), { text: "API", link: "/api/restwright" }],
    sidebar: [...sidebar, reference],
    outline: [2, 3],
    search: { provider: "local" },
    socialLinks: [{ icon: "github", link: "https://github.com/restwright/restwright" }],
  },
};
