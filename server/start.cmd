@echo off
rem The launcher py comes with Python from python.org, the plain name with the one from the Store.
set "python=python"
where py >nul 2>nul && set "python=py -3"
%python% "%~dp0start.py" %*
if errorlevel 1 pause
