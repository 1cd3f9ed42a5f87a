// Draws each plot when it comes near the view, and all of them before printing.
'use strict';
const figures = JSON.parse(document.getElementById('figures').textContent);
const places = Array.from(document.querySelectorAll('.plot'));
// A finger scrolls the page.
const dragmode = matchMedia('(pointer: coarse)').matches ? false : 'zoom';
// Widths on paper [px]: of A4 without its margins, and of one of two columns.
const PAPER = 690, COLUMN = 337;

function draw(place) {
  if (place.data) return;
  const { data, layout } = figures[places.indexOf(place)];
  Plotly.newPlot(place, data, { ...layout, dragmode }, { displaylogo: false, responsive: true });
}

function resize(paper) {
  for (const place of places) {
    draw(place);
    const width = place.closest('figure:first-child') ? PAPER : COLUMN;
    Plotly.relayout(place, { autosize: !paper, width: paper ? width : null });
  }
}

const observer = new IntersectionObserver(
  (entries) => entries.filter((one) => one.isIntersecting).forEach((one) => draw(one.target)),
  { rootMargin: '800px' },
);
places.forEach((place) => observer.observe(place));
addEventListener('beforeprint', () => resize(true));
addEventListener('afterprint', () => resize(false));
