// What stands beside the photo of a round, by tab.
import { coachPanel } from "./coach.js";
import { doubtsPanel } from "./doubts.js";
import { editPanel } from "./edit.js";
import { ledgerPanel } from "./ledger.js";
import { oddsPanel } from "./odds.js";
import { ordersPanel } from "./orders.js";
import { photosPanel } from "./photos.js";
import { selectionPanel } from "./selection.js";
import { tablesPanel } from "./tables.js";
import { takePanel } from "./take.js";

const isUnderWay = ({ reading, error, share }) => reading || error || share !== null;

// page: the round that is looked at, and what panels are handed as `actions`
export function roundPanels(page) {
  const chosen = () => selectionPanel(page.round, page);
  // Where a photo is missing, or being read.
  const wanted = () =>
    page.round.photos?.wanted.length || isUnderWay(page.photos) ? photosPanel(page.round, page) : null;
  return {
    orders: () => [ordersPanel(page.round, page), wanted()],
    doubts: () =>
      isUnderWay(page.photos)
        ? [chosen(), wanted(), doubtsPanel(page.round, page)]
        : [chosen(), doubtsPanel(page.round, page, wanted())],
    ledger: () => [
      chosen(),
      oddsPanel(page.round),
      ledgerPanel(page.round, page),
      coachPanel(page.round, page),
    ],
    table: () => [
      page.round.isPlayed ? null : chosen(),
      photosPanel(page.round, page),
      tablesPanel(page.round, page),
    ],
    edit: () => editPanel(page.round, page),
    take: () => takePanel(page.round, page),
  };
}
