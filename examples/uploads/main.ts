import { servePage } from "../shop/page.js";
import { createApp } from "./app.js";

await servePage("uploads", createApp);
