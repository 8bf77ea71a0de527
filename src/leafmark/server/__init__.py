"""What every server needs: a project kept fresh, arguments checked, a port that is guarded.

The front ends that answer other programs for as long as they run stand on this package.
It knows of no protocol but HTTP's beginnings, and answers nothing itself but
refusals. Its web server is imported when one is started.
"""
